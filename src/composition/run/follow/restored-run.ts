import type { RunRecord } from "../../../model/runs/run-record.ts";
import { runOf } from "../../../model/runs/run-of.ts";
import { formatTime } from "../../../model/time.ts";
import { LABEL } from "../../keys.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { recordedFor } from "../machine/machines-of.ts";

/** Whether an earlier object of this kind and name had the run that the object asks for, by the same value of `landfall.dev/run`. */
function isOfNamesake(run: RunRecord, object: Resource): boolean {
  const { namespace, name, uid } = object.metadata;
  // Objects without a run ask this of each record at each reconcile: most differ by the name.
  const isNamesake = run.name === name && run.namespace === namespace && run.kind === object.kind;
  return isNamesake && run.uid !== uid && run.run === runOf(object);
}

/**
 * Whether the object has what the run left, by the label of its release and Landfall's own record. Of a run that is over, also if nothing is left. What another
 * object has, or no one, is ended for the earlier uid.
 */
async function hasRelease(
  context: Pick<CompositionContext, "records">,
  { metadata: { labels = {} } }: Resource,
  run: RunRecord,
): Promise<boolean> {
  if (run.end !== null && run.removedAt !== null) return true;
  const recorded = await recordedFor(context, run);
  return recorded === null ? run.end !== null : recorded.release === labels[LABEL.releaseName];
}

/** The run of an earlier object that the object continues: one that is not over, or the last one that is. Null for none. */
async function earlierRun(
  context: Pick<CompositionContext, "runs" | "records">,
  object: Resource,
): Promise<RunRecord | null> {
  const earlier = context.runs.list().filter((run) => isOfNamesake(run, object));
  const [last] = earlier.toSorted((one, other) => (other.end?.at ?? 0) - (one.end?.at ?? 0));
  for (const run of earlier) if (run.end === null && (await hasRelease(context, object, run))) return run;
  return last !== undefined && last.end !== null && (await hasRelease(context, object, last)) ? last : null;
}

/**
 * Leaves a run to the object that has its name by now, if that was restored: it has the record of that run, or gets it at its next reconcile. Whether it is so.
 * Throws the API server's errors.
 */
export async function leaveToRestored(
  { runs, records }: Pick<CompositionContext, "runs" | "records">,
  object: Resource,
  run: RunRecord,
): Promise<boolean> {
  if (!isOfNamesake(run, object)) return false;
  const own = await runs.read(object.metadata.uid ?? "");
  if (own === null) return hasRelease({ records }, object, run);
  if (own.formerUid !== run.uid) return false;
  // A controller was killed before it did that.
  await runs.remove(run.uid);
  return true;
}

const restoredText = ({ startedAt, end }: RunRecord): string =>
  end === null
    ? `this run of an earlier object with its name continues: it began at ${formatTime(startedAt)}`
    : `this run of an earlier object with its name is over since ${formatTime(end.at)}: nothing starts. A new value of landfall.dev/run starts another one`;

/**
 * The run of a restored object, which is recorded for its earlier uid: it gets that record, and nothing begins. One that is not over continues, if the object has its
 * release. An object that is deleted while a controller runs takes its record with it, so that one of the same name is new, as is one that was applied again
 * without the label of its release. Null for any other object.
 */
export async function restoredRun(context: CompositionContext, object: Resource): Promise<RunRecord | null> {
  const last = await earlierRun(context, object);
  if (last === null) return null;
  const { uid = "" } = object.metadata;
  const { version: _version, beganAskew, startedAt, ...kept } = last;
  // The time of a Secret that was restored is not that of its run.
  const began = beganAskew === true ? (last.seenAt ?? startedAt) : startedAt;
  // A boot with an outage in it says nothing of the provider.
  const boot = last.bootSeconds === undefined ? { bootSeconds: null } : {};
  const formerUid = (await recordedFor(context, last))?.uid ?? last.uid;
  const record = await context.runs.start({ ...kept, ...boot, uid, formerUid }, began);
  await context.runs.remove(last.uid);
  context.record(object, { type: "Normal", reason: "RunRestored", message: restoredText(record) });
  return record;
}
