import { DELETION_POLICY, ORPHAN } from "../../model/names.ts";
import type { RunPlan } from "../../model/runs/run-record.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { planOf } from "../run/state/run-plan.ts";
import type { Resource } from "../types.ts";
import { installedValues } from "../retain/installed-values.ts";

type Parts = Pick<CompositionContext, "runs" | "records" | "graceSeconds" | "record">;

const hasEnd = ({ maxLifetime, whenDone }: RunPlan): boolean => maxLifetime !== null || whenDone !== "keep";

/**
 * Whether the release stays when the object is deleted. An object that is being deleted can be annotated without a call of the
 * webhook, so what has an end by the records of its run and its release is not left to run on without one. Throws REL_API….
 */
export async function isOrphaned(context: Parts, object: Resource, release: string | null): Promise<boolean> {
  const { annotations = {}, namespace = "", uid = "" } = object.metadata;
  if (annotations[DELETION_POLICY] !== ORPHAN) return false;
  const run = await context.runs.read(uid);
  const installed = release === null ? [] : await installedValues(context, namespace, release);
  const plans = [...(run === null ? [] : [run.plan]), ...installed.map((spec) => planOf(spec, context.graceSeconds))];
  if (!plans.some(hasEnd)) return true;
  const message = `${DELETION_POLICY}: orphan is not followed, because the run has an end: its resources are deleted`;
  context.record(object, { type: "Warning", reason: "OrphanIgnored", message });
  return false;
}
