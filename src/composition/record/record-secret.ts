import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { PART_OF_LANDFALL } from "../../model/names.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { type ClaimedObjects, objectsAnnotation } from "../claims/claimed-objects.ts";
import { idOf, idsOf, resourcesIn } from "../claims/object-ids.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { specDigest } from "../../model/decision-annotation/still-holds.ts";
import { releaseMetadata } from "../../model/decision-annotation/system-secrets.ts";
import { countedSizes } from "./held-sizes.ts";
import { ownerIn, placeIn } from "./release-owner.ts";
import {
  currentRevisions,
  encodeRecord,
  type RecordedRevision,
  type ReleaseRecord,
  type SignedRecord,
} from "./release-record.ts";

/** SHA-256 of the spec that the newest revision was rendered from; omitted where its values are not those of an object. */
export function installedSpec([newest]: readonly RecordedRevision[]): { spec?: string } {
  const values = newest === undefined ? {} : valuesIn(newest.release);
  return ownerIn(values) === null ? {} : { spec: specDigest(values) };
}

/** For the webhook: which object the release belongs to, where it is, and what it runs. */
function markOf(record: ReleaseRecord): ReturnType<typeof releaseMetadata> | null {
  const { release, revisions } = record;
  const [newest] = revisions;
  const values = newest === undefined ? {} : valuesIn(newest.release);
  const owner = ownerIn(values);
  if (newest === undefined || owner === null) return null;
  const uid = newest.labels[RELEASE_LABEL.composition] ?? owner.uid;
  const running = countedSizes(record);
  return releaseMetadata({ ...owner, uid, release, place: placeIn(values), running, ...installedSpec(revisions) });
}

/** The ids of a revision; an earlier version of Landfall recorded none. */
const idsOfRevision = async ({ objects, release }: RecordedRevision): Promise<readonly string[]> =>
  objects ?? idsOf(await resourcesIn(release));

/** The objects that a record names. */
export async function claimedBy({
  revisions,
  former: gone = [],
}: Pick<ReleaseRecord, "revisions" | "former">): Promise<ClaimedObjects> {
  const kept = currentRevisions(revisions);
  const of = async (some: readonly RecordedRevision[]) => new Set((await Promise.all(some.map(idsOfRevision))).flat());
  const current = await of(kept);
  const former = await of(revisions.filter((one) => !kept.includes(one) && one.pruned !== true));
  const all = new Set([...former, ...gone.map(idOf)]);
  return { current: [...current], former: [...all].filter((id) => !current.has(id)) };
}

/** The Secret of a record. */
export interface RecordSecret {
  metadata: {
    name: string;
    namespace: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    resourceVersion?: string;
  };
  data?: { record?: string };
}

const TYPE = "landfall.dev/release-record";
export const SIGNATURE_ANNOTATION = "landfall.dev/signature";
export const RECORD_PREFIX = "landfall.release.";
/** The label with the namespace of a record's release. */
export const NAMESPACE = "landfall.dev/namespace";

/** Namespaces hold no dots, so that no two releases share a name. */
export const nameOf = (namespace: string, release: string): string => `${RECORD_PREFIX}${namespace}.${release}`;

/** The release of the record with this name; null for another Secret. */
export function releaseOf(namespace: string, secret: string): string | null {
  const prefix = nameOf(namespace, "");
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : null;
}

export const signedIn = ({ data, metadata: { annotations = {} } }: RecordSecret): SignedRecord => ({
  content: Buffer.from(data?.record ?? "", "base64").toString("latin1"),
  signature: annotations[SIGNATURE_ANNOTATION] ?? "",
});

/** The record with the ids of all revisions' objects, which one of an earlier version of Landfall lacks. */
export async function withIds(record: ReleaseRecord): Promise<ReleaseRecord> {
  const known = record.revisions.map(async (one) => ({ ...one, objects: [...(await idsOfRevision(one))] }));
  return { ...record, revisions: await Promise.all(known) };
}

/** The Secret of a record. `resourceVersion`: null for a new one. */
export async function secretOf(
  record: ReleaseRecord,
  { keys, systemNamespace }: { keys: KeyRing | null; systemNamespace: string },
  resourceVersion: string | null,
): Promise<RecordSecret> {
  const { namespace, release, revisions } = record;
  const { content, signature } = await encodeRecord(record, keys);
  const uid = revisions[0]?.labels[RELEASE_LABEL.composition] ?? "";
  const mark = markOf(record);
  const labels = { ...PART_OF_LANDFALL, [NAMESPACE]: namespace, [RELEASE_LABEL.composition]: uid, ...mark?.labels };
  const about = { name: nameOf(namespace, release), namespace: systemNamespace, labels };
  const objects = objectsAnnotation(await claimedBy(record));
  const annotations = { [SIGNATURE_ANNOTATION]: signature, ...mark?.annotations, ...objects };
  const metadata = { ...about, annotations, ...(resourceVersion === null ? {} : { resourceVersion }) };
  const data = { record: Buffer.from(content, "latin1").toString("base64") };
  return { ...{ apiVersion: "v1", kind: "Secret", type: TYPE }, metadata, data };
}
