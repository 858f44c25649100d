import { LandfallError, messageOf } from "../../errors.ts";
import { readTar, UnsafeArchive } from "./tar.ts";

/** The project's own bundle unpacks to 2 MB in 15 files; one with 5 MB of data to 10 MB. */
const LIMITS = { bytes: 64 * 1024 * 1024, files: 1000 };

const begins = (bytes: Uint8Array, ...first: readonly number[]): boolean =>
  first.every((byte, index) => bytes[index] === byte);

/** The format of a file that is not gzip, which a tarball of a bundle is; null for gzip. */
function otherFormat(bytes: Uint8Array): string | null {
  if (begins(bytes, 0x1f, 0x8b)) return null;
  const is = (what: string): string => `it is ${what}, and not a gzip archive (.tar.gz)`;
  if (bytes.length === 0) return is("empty");
  if (begins(bytes, 0x50, 0x4b)) return is("a zip archive");
  if (begins(bytes, 0x00, 0x61, 0x73, 0x6d)) return is("a WebAssembly module");
  if (Buffer.from(bytes.subarray(257, 262)).toString("latin1") === "ustar")
    return is("a tar archive without compression");
  // RFC 1950: 0x78 and a second byte with which both are a multiple of 31.
  if (begins(bytes, 0x78) && (0x7800 + (bytes[1] ?? 0)) % 31 === 0) return is("zlib data without the header of gzip");
  return is(
    /^[\t\n\r\x20-\x7e]{1,200}$/.test(Buffer.from(bytes.subarray(0, 200)).toString("latin1"))
      ? "a text"
      : "another file",
  );
}

/**
 * The files of a bundle's tarball. Throws BUNDLE_UNREADABLE; BUNDLE_UNSAFE for links, names outside of it, and a zip
 * bomb.
 */
export function unpackBundle(bytes: Uint8Array, ref: string): Map<string, Buffer> {
  try {
    return readTar(bytes, LIMITS);
  } catch (thrown) {
    const code = thrown instanceof UnsafeArchive ? "BUNDLE_UNSAFE" : "BUNDLE_UNREADABLE";
    throw new LandfallError(code, { ref, detail: otherFormat(bytes) ?? messageOf(thrown) }, thrown);
  }
}
