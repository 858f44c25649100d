import { LandfallError } from "../errors.ts";
import { textOf } from "../model/json.ts";
import { DATA_BYTES, MANIFEST_BYTES } from "../model/bundle-format/data-bytes.ts";
import { releaseOf } from "../model/bundle-format/bundle-release.ts";
import { unpackBundle } from "../model/bundle-format/unpack-bundle.ts";
import { readJsonFile } from "./read-json-file.ts";

/** The parts of a bundle that Landfall uses. */
export interface BundleParts {
  wasm: Buffer;
  data: Record<string, unknown>;
  revision: string;
  /** Paths that the bundle owns; the empty path is the whole tree. */
  roots: string[];
  /** Seconds since 1970; null for never. */
  expires: number | null;
}

/** Reads the tarball. Throws BUNDLE_UNREADABLE; BUNDLE_LIMIT for too much data or too large a manifest; BUNDLE_UNSAFE for links, names outside of it, and a zip bomb. */
export function readBundle(bytes: Uint8Array, ref: string): BundleParts {
  const parts = unpackBundle(bytes, ref);
  const manifest = readJsonFile(parts.get(".manifest"), { name: ".manifest", ref, most: MANIFEST_BYTES });
  const { expires, rollback } = releaseOf(manifest, ref);
  if (rollback !== null) throw new LandfallError("BUNDLE_IS_ROLLBACK", { ref, target: rollback });
  const wasm = parts.get("policy.wasm");
  if (!wasm)
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: "it holds no policy.wasm (opa build --target wasm)" });
  const { revision, roots } = manifest;
  return {
    wasm,
    data: readJsonFile(parts.get("data.json"), { name: "data.json", ref, most: DATA_BYTES.platform }),
    revision: typeof revision === "string" ? revision : "",
    expires,
    roots: Array.isArray(roots) ? roots.map(textOf) : [""],
  };
}
