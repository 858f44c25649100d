import { isObject } from "../model/json.ts";
import { readTar } from "../model/tar.ts";
import { listEntrypoints } from "./list-entrypoints.ts";
import { readBundle } from "./read-bundle.ts";

export interface BundleDescription {
  revision: string;
  entrypoints: string[];
  /** Paths of data and policies that the bundle owns. */
  roots: string[];
  /** data source -> its date */
  data: Record<string, string>;
  /** file -> bytes */
  files: Record<string, number>;
  /** Bytes of the tarball. */
  size: number;
}

function datesOf(data: Record<string, unknown>): Record<string, string> {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const catalog = isObject(root["catalog"]) ? root["catalog"] : {};
  const dates = isObject(catalog["dates"]) ? Object.entries(catalog["dates"]) : [];
  return Object.fromEntries(dates.map(([name, date]) => [name, String(date)]));
}

function rootsOf(manifest: Buffer | undefined): string[] {
  const value: unknown = manifest === undefined ? {} : JSON.parse(manifest.toString("utf8"));
  const roots = isObject(value) ? value["roots"] : undefined;
  return Array.isArray(roots) ? roots.map(String) : [""];
}

/** What a bundle's tarball holds. Throws BUNDLE_UNREADABLE. */
export async function describeBundle(bytes: Uint8Array, ref: string): Promise<BundleDescription> {
  const { revision, data, wasm } = readBundle(bytes, ref);
  const files = readTar(bytes);
  return {
    revision,
    entrypoints: await listEntrypoints(wasm, ref),
    roots: rootsOf(files.get(".manifest")),
    data: datesOf(data),
    files: Object.fromEntries([...files].map(([name, body]) => [name, body.length])),
    size: bytes.length,
  };
}
