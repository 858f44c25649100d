import { isObject, textOf } from "../model/json.ts";
import type { OtherKind } from "../model/bundle-format/other-bundle.ts";
import { formatTime } from "../model/time.ts";
import { readRelease } from "../model/bundle-format/bundle-release.ts";
import { unpackBundle } from "../model/bundle-format/unpack-bundle.ts";
import { listEntrypoints } from "./module/list-entrypoints.ts";
import { readBundle } from "./read-bundle.ts";
import { isOther, type OtherParts, readOther } from "./read-other.ts";

export interface BundleDescription {
  revision: string;
  /** The platform's own, or one next to it. */
  kind: "platform" | OtherKind;
  /** Of a bundle next to the platform's; null for the platform's own. */
  name: string | null;
  /** Of a data image, RFC 3339; null for others. */
  date: string | null;
  freshHours: number | null;
  /** Null for bundles of 0.1.0. */
  version: number | null;
  /** RFC 3339; null for never. */
  expires: string | null;
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

type BundleContent = Omit<BundleDescription, "version" | "expires">;

function datesOf(data: Record<string, unknown>): Record<string, string> {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const catalog = isObject(root["catalog"]) ? root["catalog"] : {};
  const dates = isObject(catalog["dates"]) ? Object.entries(catalog["dates"]) : [];
  return Object.fromEntries(dates.map(([name, date]) => [name, textOf(date)]));
}

function rootsOf(manifest: Buffer | undefined): string[] {
  const value: unknown = manifest === undefined ? {} : JSON.parse(manifest.toString("utf8"));
  const roots = isObject(value) ? value["roots"] : undefined;
  return Array.isArray(roots) ? roots.map(textOf) : [""];
}

const sizes = (files: Map<string, Buffer>): Record<string, number> =>
  Object.fromEntries([...files].map(([name, body]) => [name, body.length]));

async function describeOther(
  { revision, kind, name, date, freshHours, wasm, ref, roots, dates }: OtherParts,
  files: Map<string, Buffer>,
  size: number,
): Promise<BundleContent> {
  return {
    ...{ revision, kind, name, freshHours, roots, size },
    date: date === null ? null : formatTime(date),
    entrypoints: wasm === null ? [] : await listEntrypoints(wasm, ref),
    data: dates,
    files: sizes(files),
  };
}

/** The content of a bundle's tarball. Throws BUNDLE_UNREADABLE. */
export async function describeBundle(bytes: Uint8Array, ref: string): Promise<BundleDescription> {
  const { version, expires } = readRelease(bytes, ref);
  return { ...(await describeContent(bytes, ref)), version, expires: expires === null ? null : formatTime(expires) };
}

async function describeContent(bytes: Uint8Array, ref: string): Promise<BundleContent> {
  const files = unpackBundle(bytes, ref);
  if (isOther(bytes, ref)) return describeOther(readOther(bytes, ref), files, bytes.length);
  const { revision, data, wasm } = readBundle(bytes, ref);
  return {
    ...{ revision, kind: "platform", name: null, date: null, freshHours: null },
    entrypoints: await listEntrypoints(wasm, ref),
    roots: rootsOf(files.get(".manifest")),
    data: datesOf(data),
    files: sizes(files),
    size: bytes.length,
  };
}
