import { LandfallError, messageOf } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
import { releaseOf } from "../model/bundle-format/bundle-release.ts";
import { unpackBundle } from "../model/bundle-format/unpack-bundle.ts";

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

function json(parts: Map<string, Buffer>, name: string, ref: string): Record<string, unknown> {
  const file = parts.get(name);
  if (!file) throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `it holds no ${name}` });
  try {
    const value: unknown = JSON.parse(file.toString("utf8"));
    if (isObject(value)) return value;
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `${name}: ${messageOf(thrown)}` }, thrown);
  }
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `${name} is not an object` });
}

/** Reads the tarball. Throws BUNDLE_UNREADABLE; BUNDLE_UNSAFE for links, names outside of it, and a zip bomb. */
export function readBundle(bytes: Uint8Array, ref: string): BundleParts {
  const parts = unpackBundle(bytes, ref);
  const manifest = json(parts, ".manifest", ref);
  const { expires, rollback } = releaseOf(manifest, ref);
  if (rollback !== null)
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `it is a rollback to ${rollback}: name that image` });
  const wasm = parts.get("policy.wasm");
  if (!wasm)
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: "it holds no policy.wasm (opa build --target wasm)" });
  const { revision, roots } = manifest;
  return {
    wasm,
    data: json(parts, "data.json", ref),
    revision: typeof revision === "string" ? revision : "",
    expires,
    roots: Array.isArray(roots) ? roots.map(textOf) : [""],
  };
}
