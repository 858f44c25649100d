import { LandfallError, messageOf } from "../../errors.ts";
import { readTar, UnsafeArchive } from "./tar.ts";

/** The project's own bundle unpacks to 2 MB in 15 files; one with 5 MB of data to 10 MB. */
const LIMITS = { bytes: 64 * 1024 * 1024, files: 1000 };

/**
 * The files of a bundle's tarball. Throws BUNDLE_UNREADABLE; BUNDLE_UNSAFE for links, names outside of it, and a zip
 * bomb.
 */
export function unpackBundle(bytes: Uint8Array, ref: string): Map<string, Buffer> {
  try {
    return readTar(bytes, LIMITS);
  } catch (thrown) {
    const code = thrown instanceof UnsafeArchive ? "BUNDLE_UNSAFE" : "BUNDLE_UNREADABLE";
    throw new LandfallError(code, { ref, detail: messageOf(thrown) }, thrown);
  }
}
