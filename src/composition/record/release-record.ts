import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyRing, SigningKey } from "../../model/decision-annotation/key-ring.ts";
import type { PoolSizes } from "../../model/decision-annotation/system-secrets.ts";
import { isObject } from "../../model/json.ts";
import { manifestIn, packJson, type StoredRelease, unpackJson } from "../helm/stored-release.ts";
import type { Revision } from "../helm/release-storage.ts";
import type { Resource } from "../types.ts";
import { type HeldSize, isHeldSize } from "./held-size.ts";

/** One revision that this controller rendered. */
export interface RecordedRevision extends Revision {
  /** Helm's release without the chart's files and hooks. */
  release: StoredRelease;
  /** Resource version of the copy in the release's namespace, as it was written; empty if it could not be. */
  copy: string;
  /** The pools of a cluster, kept when its values no longer are. */
  pools?: PoolSizes;
  /** The ids of its objects; omitted where an earlier version of Landfall recorded it. */
  objects?: string[];
  /** Whether it is known to have left no resource that a later revision lacks. */
  pruned?: true;
}

/** The revisions of which a release consists: the newest and the deployed one. `revisions` newest first. */
export const currentRevisions = <T extends Revision>(revisions: readonly T[]): T[] =>
  revisions.filter(({ status }, index) => index === 0 || status === "deployed");

/** Helm did not finish it, so no later revision knows what it made. */
export const isUnfinished = ({ status, pruned }: RecordedRevision): boolean =>
  pruned !== true && (status === "failed" || status.startsWith("pending-"));

/** Whether it may have left objects that a later revision lacks: it is not known to have left none, and its manifest or its end says it can. */
export const isUnchecked = (one: RecordedRevision): boolean =>
  one.pruned !== true && (isUnfinished(one) || manifestIn(one.release) !== "");

/** A revision that helm did not finish, as one that failed. Its copy is written again. */
export function asFailed(revision: RecordedRevision): RecordedRevision {
  const { labels, release } = revision;
  const info = isObject(release["info"]) ? release["info"] : {};
  return {
    ...revision,
    ...{ status: "failed", copy: "" },
    labels: { ...labels, status: "failed" },
    release: { ...release, info: { ...info, status: "failed" } },
  };
}

/**
 * An object of a former revision whose manifest is no longer recorded, and that the controller has not seen gone: enough to find it by its path, whatever
 * its metadata says by now, and to delete it as its chart meant it.
 */
export type FormerObject = Pick<Resource, "apiVersion" | "kind"> & {
  metadata: Pick<Resource["metadata"], "name" | "namespace" | "annotations">;
};

/** Whether something in a record is a former object. */
const isFormerObject = (value: unknown): value is FormerObject =>
  isObject(value) &&
  typeof value["apiVersion"] === "string" &&
  typeof value["kind"] === "string" &&
  isObject(value["metadata"]) &&
  typeof value["metadata"]["name"] === "string";

/** The revisions of one release, newest first. */
export interface ReleaseRecord {
  namespace: string;
  release: string;
  revisions: RecordedRevision[];
  /** The sizes that its revisions had and may still run; omitted for none. */
  held?: HeldSize[];
  /** Objects of former revisions that the controller has not seen gone, and that no manifest names any more; omitted for none. */
  former?: FormerObject[];
  /** An earlier version of Landfall wrote it, without what its revisions run or with other sizes. */
  lacksSizes?: true;
}

/** Bytes that a record may have when it is unpacked: four manifests with two of their values, each of an object of at most 3 MB. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The content of a record, and its signature if there is a key. */
export interface SignedRecord {
  content: string;
  signature: string;
}

type Named = Pick<ReleaseRecord, "namespace" | "release">;

/** `KEY ID.HMAC` */
export function signContent({ id, key }: SigningKey, { namespace, release }: Named, content: string): string {
  const bound = ["landfall release record", namespace, release, content].join("\n");
  return `${id}.${createHmac("sha256", key).update(bound).digest("base64url")}`;
}

function isSame(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Whether a key of the ring signed this content for this release. */
export const isSignedContent = (keys: KeyRing, of: Named, content: string, signature: string): boolean =>
  keys.some((key) => isSame(signContent(key, of, content), signature));

/** Packs a record. The signature covers namespace and name: a record is useless for another release. */
export async function encodeRecord(record: ReleaseRecord, keys: KeyRing | null): Promise<SignedRecord> {
  const { revisions, held = [], former = [] } = record;
  const more = { ...(held.length === 0 ? {} : { held }), ...(former.length === 0 ? {} : { former }) };
  const content = await packJson({ revisions, ...more });
  return { content, signature: keys === null ? "" : signContent(keys[0], record, content) };
}

const isRevision = (value: unknown): value is RecordedRevision =>
  isObject(value) &&
  Number.isSafeInteger(value["revision"]) &&
  typeof value["status"] === "string" &&
  isObject(value["labels"]) &&
  isObject(value["release"]);

/** Unpacks a record; null where its signature is not valid or it is not a record. */
export async function decodeRecord(
  of: Named,
  { content, signature }: SignedRecord,
  keys: KeyRing | null,
): Promise<ReleaseRecord | null> {
  if (keys !== null && !isSignedContent(keys, of, content, signature)) return null;
  const read = await unpackJson(content, MAX_BYTES).catch((): Record<string, unknown> => ({}));
  const revisions: unknown = read["revisions"];
  if (!Array.isArray(revisions) || !revisions.every(isRevision)) return null;
  const held = Array.isArray(read["held"]) ? read["held"].filter(isHeldSize) : [];
  const former = Array.isArray(read["former"]) ? read["former"].filter(isFormerObject) : [];
  return { ...of, revisions, ...(held.length === 0 ? {} : { held }), ...(former.length === 0 ? {} : { former }) };
}
