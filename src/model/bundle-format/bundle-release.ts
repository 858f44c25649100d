import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../json.ts";
import { parseTime } from "../time.ts";
import { MANIFEST_BYTES } from "./data-bytes.ts";
import { readTar, writeTar } from "./tar.ts";
import { unpackBundle } from "./unpack-bundle.ts";

/** metadata.release in the .manifest of a bundle: which one it is among those of its reference. */
export interface BundleRelease {
  /** Rises with each bundle of a reference; null for bundles of 0.1.0. */
  version: number | null;
  /** Seconds since 1970: the bundle must be replaced by then; null for never. */
  expires: number | null;
  /** `sha256:…` of the earlier image that is used instead; null for a bundle with policies or data of its own. */
  rollback: string | null;
  /** For whom it was built (dev, prod); null for any. */
  channel: string | null;
  /** The date of a data image's data, in seconds since 1970; null for others. */
  date: number | null;
}

const MANIFEST = ".manifest";

/** Of a bundle that says nothing of its release. */
export const NO_RELEASE: BundleRelease = { version: null, expires: null, rollback: null, channel: null, date: null };

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;
const isTime = (value: unknown): value is string => typeof value === "string" && parseTime(value) !== null;
const UNSET: Record<"version" | "expires" | "rollback" | "channel", unknown> = NO_RELEASE;

/** The name of a channel: dev, prod/eu. */
export const isChannel = (value: unknown): value is string =>
  typeof value === "string" && /^[\w][\w./-]{0,99}$/.test(value);
const isDigest = (value: unknown): value is string => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);

const isNullOr = <T>(value: unknown, is: (value: unknown) => value is T): value is T | null =>
  value === null || is(value);

/** The release in a manifest; null where it is not valid. */
function parse(release: Record<string, unknown>): Omit<BundleRelease, "date"> | null {
  const { version, expires, rollback, channel } = { ...UNSET, ...release };
  if (!isVersion(version) || !isNullOr(expires, isTime)) return null;
  if (!isNullOr(rollback, isDigest) || !isNullOr(channel, isChannel)) return null;
  return { version, expires: expires === null ? null : parseTime(expires), rollback, channel };
}

function manifestOf(files: ReadonlyMap<string, Buffer>, ref: string): Record<string, unknown> {
  const body = files.get(MANIFEST) ?? Buffer.from("{}");
  if (body.length > MANIFEST_BYTES) {
    const detail = `${MANIFEST} has ${String(body.length)} bytes; at most ${String(MANIFEST_BYTES)} are allowed`;
    throw new LandfallError("BUNDLE_LIMIT", { ref, detail });
  }
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isObject(value) ? value : {};
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `${MANIFEST}: ${messageOf(thrown)}` }, thrown);
  }
}

/** The date in a data image's card: metadata.landfall. */
function dateIn(metadata: Record<string, unknown>): number | null {
  const { date } = isObject(metadata["landfall"]) ? metadata["landfall"] : {};
  return isTime(date) ? parseTime(date) : null;
}

/** Reads the release in an unpacked manifest. Throws BUNDLE_UNREADABLE where it is not valid. */
export function releaseOf(manifest: Record<string, unknown>, ref: string): BundleRelease {
  const metadata = isObject(manifest["metadata"]) ? manifest["metadata"] : {};
  const { release } = metadata;
  const date = dateIn(metadata);
  if (release === undefined) return { ...NO_RELEASE, date };
  const read = isObject(release) ? parse(release) : null;
  if (read !== null) return { ...read, date };
  const detail = `${MANIFEST}: metadata.release needs a version above 0; expires is RFC 3339, rollback a sha256 digest, channel a name`;
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail });
}

/** Reads the release among the files of a bundle. Throws BUNDLE_UNREADABLE, BUNDLE_LIMIT. */
export const releaseIn = (files: ReadonlyMap<string, Buffer>, ref: string): BundleRelease =>
  releaseOf(manifestOf(files, ref), ref);

/** Reads the release of a tarball. Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE, BUNDLE_LIMIT. */
export const readRelease = (bytes: Uint8Array, ref: string): BundleRelease => releaseIn(unpackBundle(bytes, ref), ref);

/** The fields as they are written. */
export interface WrittenRelease {
  version: number;
  /** RFC 3339 */
  expires?: string;
  rollback?: string;
  channel?: string;
}

/** The same tarball with this release in its manifest. */
export function writeRelease(bytes: Uint8Array, release: WrittenRelease): Buffer {
  const files = new Map([...readTar(bytes)].map(([name, body]) => [`/${name}`, body]));
  const manifest = JSON.parse(files.get(`/${MANIFEST}`)?.toString("utf8") ?? "{}") as Record<string, unknown>;
  const metadata = isObject(manifest["metadata"]) ? manifest["metadata"] : {};
  files.set(`/${MANIFEST}`, Buffer.from(JSON.stringify({ ...manifest, metadata: { ...metadata, release } })));
  return writeTar(files);
}

/** A bundle without policies and data, which says to use an earlier image instead. */
export const writeRollback = (release: WrittenRelease & { rollback: string }): Buffer =>
  writeTar(new Map([[`/${MANIFEST}`, Buffer.from(JSON.stringify({ revision: "rollback", metadata: { release } }))]]));
