import { sizeOf } from "../../model/read-workload.ts";
import { byProvider, largestOf, sumOf } from "../../model/decision-annotation/running-sizes.ts";
import type { RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { isKind, type Kind } from "../../model/names.ts";
import { formatTime } from "../../model/time.ts";
import type { CountedSize, Retained } from "../../model/runs/retained.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Retentions } from "../record/open-retentions.ts";
import type { ReleaseRecord } from "../record/release-record.ts";
import { countedSizes } from "../record/held-sizes.ts";
import { retainsIn } from "../record/release-owner.ts";
import type { Resource } from "../types.ts";
import { isNeverMade } from "./never-made.ts";
import { valuesOf } from "./installed-values.ts";

type Values = Record<string, unknown>;
type Parts = Pick<CompositionContext, "records" | "nowSeconds"> & { retentions: Pick<Retentions, "record"> };
type Around = Parts & Pick<CompositionContext, "discovery" | "tenant" | "runs">;

/** The newest place, with the largest of these sizes at each provider. Without any, the size of the object counts in its namespace, and in no place. */
function countedOf(kind: Kind, sizes: readonly RunningSize[], spec: Values): CountedSize {
  const [newest] = sizes;
  if (newest === undefined) return { place: null, ...sizeOf(kind, spec), pricePerHour: null };
  return { place: newest.place, ...sumOf([...byProvider(sizes).values()].map(largestOf)) };
}

/** The sizes that a release's record says. If its key was lost, those of its metadata, which the webhook counts by as well. */
async function runningIn(
  { records }: Pick<Parts, "records">,
  record: ReleaseRecord | null,
  { namespace, release }: Pick<ReleaseRecord, "namespace" | "release">,
): Promise<RunningSize[]> {
  const sizes = record === null ? [] : countedSizes(record);
  return sizes.length > 0 ? sizes : records.running(namespace, release);
}

/** Whether resources of the release stay: by their sizes, or by what was installed. Without a record, by the object. */
const isRetained = (running: readonly RunningSize[], installed: readonly Values[], spec: Values): boolean =>
  running.some(({ retains }) => retains === true) || (installed.length > 0 ? installed : [spec]).some(retainsIn);

type About = Pick<Retained, "uid" | "release" | "why">;

/** The workload that a release is recorded to run, as retained now. */
function retainedOf(
  { nowSeconds }: Pick<Parts, "nowSeconds">,
  { kind, metadata, spec = {} }: Resource,
  about: About,
  running: readonly RunningSize[],
): Retained {
  const { namespace = "", name = "", uid = "" } = metadata;
  const of = { kind: kind as Kind, namespace, name, uid, vmName: null, start: null, end: null };
  const counted = countedOf(of.kind, running, spec);
  return { workload: { ...of, ...counted }, ...about, at: formatTime(nowSeconds()), acknowledged: null };
}

/**
 * Records what stays when an object is deleted: with `orphan` its release, with `deletionPolicy: retain` the provider's
 * resources, unless its operator never made a machine. To be called before the object can go. Users can write anything into an object that is being deleted, so place, size and
 * price are those of the release's record. Throws REL_API….
 */
export async function recordRetained(
  context: Around,
  { object }: Composition,
  release: string,
  isOrphan: boolean,
): Promise<void> {
  const { kind, metadata } = object;
  const { namespace = "", uid = "" } = metadata;
  if (!isKind(kind)) return;
  const spec: Values = object.spec ?? {};
  const record = await context.records.read(namespace, release);
  const running = await runningIn(context, record, { namespace, release });
  const stays = isOrphan || isRetained(running, valuesOf(record), spec);
  // A release that stays can still make its machine.
  if (!stays || (!isOrphan && (await isNeverMade(context, uid, record)))) return;
  await context.retentions.record(
    retainedOf(context, object, { uid, release, why: isOrphan ? "orphan" : "retain" }, running),
  );
}

/**
 * Records that a resource of the release may be left at its provider although the release deletes it: its operator's annotation said so while it was
 * being deleted. It counts as all that the release runs, until someone takes note of it. Throws REL_API….
 */
export async function recordLeft(
  context: Parts & Pick<CompositionContext, "removals">,
  { object }: Composition,
  release: string,
): Promise<void> {
  const { namespace = "", uid = "" } = object.metadata;
  if (!isKind(object.kind)) return;
  const record = await context.records.read(namespace, release);
  // The record goes when Helm has uninstalled the release.
  const removed = record === null ? await context.removals.of(uid) : null;
  const running = removed?.running ?? (await runningIn(context, record, { namespace, release }));
  await context.retentions.record(retainedOf(context, object, { uid: `${uid}-left`, release, why: "retain" }, running));
}
