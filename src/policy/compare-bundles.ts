import { isObject } from "../model/json.ts";
import { readTar } from "../model/bundle-format/tar.ts";
import { type BundleParts, readBundle } from "./read-bundle.ts";
import { isOther, readOther } from "./read-other.ts";

export interface ValueChange {
  /** Keys with dots. */
  path: string;
  /** Undefined where the value is new or gone. */
  before?: unknown;
  after?: unknown;
}

export interface BundleDifference {
  revision: { before: string; after: string };
  files: { added: string[]; removed: string[]; changed: string[] };
  data: ValueChange[];
}

/** Every value that is not an object, by its path: a list counts as one value. */
function leaves(value: unknown, path: string, found: Map<string, unknown>): Map<string, unknown> {
  const children = isObject(value) ? Object.entries(value) : [];
  if (children.length === 0) found.set(path, value);
  for (const [key, child] of children) leaves(child, path === "" ? key : `${path}.${key}`, found);
  return found;
}

function changes(before: unknown, after: unknown): ValueChange[] {
  const [old, fresh] = [leaves(before, "", new Map()), leaves(after, "", new Map())];
  const paths = [...new Set([...old.keys(), ...fresh.keys()])];
  return paths.flatMap((path) => {
    const [was, is] = [old.get(path), fresh.get(path)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [{ path, ...(old.has(path) ? { before: was } : {}), ...(fresh.has(path) ? { after: is } : {}) }];
  });
}

const contentOf = ({ bytes, ref }: { bytes: Uint8Array; ref: string }): Pick<BundleParts, "revision" | "data"> =>
  isOther(bytes, ref) ? readOther(bytes, ref) : readBundle(bytes, ref);

/** The changes from one bundle to another: files by name, data by value. Throws BUNDLE_UNREADABLE. */
export function compareBundles(
  before: { bytes: Uint8Array; ref: string },
  after: { bytes: Uint8Array; ref: string },
): BundleDifference {
  const [old, fresh] = [contentOf(before), contentOf(after)];
  const [oldFiles, freshFiles] = [readTar(before.bytes), readTar(after.bytes)];
  const missing = (from: Map<string, Buffer>, other: Map<string, Buffer>): string[] =>
    [...from.keys()].filter((name) => !other.has(name)).sort();
  const changed = [...freshFiles].filter(([name, body]) => oldFiles.get(name)?.equals(body) === false);
  return {
    revision: { before: old.revision, after: fresh.revision },
    files: {
      added: missing(freshFiles, oldFiles),
      removed: missing(oldFiles, freshFiles),
      changed: changed.map(([name]) => name).sort(),
    },
    data: changes(old.data, fresh.data),
  };
}
