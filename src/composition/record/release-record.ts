import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { isObject } from "../../model/json.ts";
import { packJson, type StoredRelease, unpackJson } from "../helm/stored-release.ts";
import type { Revision } from "../helm/release-storage.ts";

/** One revision that this controller rendered. */
export interface RecordedRevision extends Revision {
  /** Helm's release without the chart's files and hooks. */
  release: StoredRelease;
  /** Resource version of the copy in the release's namespace, as it was written; empty if it could not be. */
  copy: string;
}

/** The revisions of one release, newest first. */
export interface ReleaseRecord {
  namespace: string;
  release: string;
  revisions: RecordedRevision[];
}

/** Bytes that a record may have when it is unpacked: two manifests with their values, each of an object of at most 3 MB. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The content of a record, and its signature if there is a key. */
export interface SignedRecord {
  content: string;
  signature: string;
}

function sign(key: KeyObject, { namespace, release }: Pick<ReleaseRecord, "namespace" | "release">, content: string) {
  const bound = ["landfall release record", namespace, release, content].join("\n");
  return createHmac("sha256", key).update(bound).digest("base64url");
}

function isSame(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Packs a record. The signature covers namespace and name: a record is of no use for another release. */
export async function encodeRecord(record: ReleaseRecord, key: KeyObject | null): Promise<SignedRecord> {
  const content = await packJson({ revisions: record.revisions });
  return { content, signature: key === null ? "" : sign(key, record, content) };
}

const isRevision = (value: unknown): value is RecordedRevision =>
  isObject(value) &&
  Number.isSafeInteger(value["revision"]) &&
  typeof value["status"] === "string" &&
  isObject(value["labels"]) &&
  isObject(value["release"]);

/** Unpacks a record; null where its signature is not valid or it is not a record. */
export async function decodeRecord(
  of: Pick<ReleaseRecord, "namespace" | "release">,
  { content, signature }: SignedRecord,
  key: KeyObject | null,
): Promise<ReleaseRecord | null> {
  if (key !== null && !isSame(sign(key, of, content), signature)) return null;
  const read = await unpackJson(content, MAX_BYTES).catch((): Record<string, unknown> => ({}));
  const revisions: unknown = read["revisions"];
  return Array.isArray(revisions) && revisions.every(isRevision) ? { ...of, revisions } : null;
}
