import type { RunRecord } from "../../../model/runs/run-record.ts";
import { runOf } from "../../../model/runs/run-of.ts";
import { formatTime } from "../../../model/time.ts";
import { LABEL } from "../../keys.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";

/** The kind, the name and the run that an object asks for, or that a record is about. */
export const runKey = ({ kind, namespace, name, run }: Pick<RunRecord, "kind" | "namespace" | "name" | "run">) =>
  JSON.stringify([kind, namespace, name, run]);

export const askedKey = (object: Resource): string => {
  const { namespace = "", name = "" } = object.metadata;
  return runKey({ kind: object.kind, namespace, name, run: runOf(object) });
};

/** The last of the ended runs that an earlier object of this kind and name had, by the same value of `landfall.dev/run`. */
function lastEnded({ runs }: Pick<CompositionContext, "runs">, object: Resource): RunRecord | null {
  const { namespace, name } = object.metadata;
  // Objects without a run ask this at each reconcile: most records differ by the name.
  const isOf = (one: RunRecord): boolean =>
    one.name === name && one.namespace === namespace && one.end !== null && runKey(one) === askedKey(object);
  const ended = runs.list().filter(isOf);
  return ended.sort((one, other) => (one.end?.at ?? 0) - (other.end?.at ?? 0)).at(-1) ?? null;
}

/** Whether what the run left belongs to the object, or nothing is left: the release that another one does not have is ended for its earlier uid. */
async function hasRelease(
  { records }: Pick<CompositionContext, "records">,
  { metadata: { labels = {} } }: Resource,
  { namespace, uid, removedAt }: RunRecord,
): Promise<boolean> {
  if (removedAt !== null) return true;
  const release = await records.find(namespace, uid);
  return release === null || release === labels[LABEL.releaseName];
}

/**
 * The run of an object that was restored after its run had ended, which is recorded for its earlier uid: it gets that record, and nothing begins. An
 * object that is deleted while a controller runs takes its record with it, so that one of the same name is new, as is one that was applied again
 * without the label of its release. Null for any other object.
 */
export async function restoredRun(context: CompositionContext, object: Resource): Promise<RunRecord | null> {
  const last = lastEnded(context, object);
  if (last === null || last.end === null || !(await hasRelease(context, object, last))) return null;
  const { uid = "" } = object.metadata;
  const { version: _version, startedAt, ...kept } = last;
  const record = await context.runs.start({ ...kept, uid }, startedAt);
  await context.runs.remove(last.uid);
  const message = `this run of an earlier object with its name is over since ${formatTime(last.end.at)}: nothing starts. A new value of landfall.dev/run starts another one`;
  context.record(object, { type: "Normal", reason: "RunRestored", message });
  return record;
}
