import { isPaused } from "../../../model/decision-annotation/pause.ts";
import { verifyDecision } from "../../../model/decision-annotation/signature.ts";
import { isAnotherRun, runOf } from "../../../model/runs/run-of.ts";
import { isKind } from "../../../model/names.ts";
import { bootTimeOf } from "../../../model/places/boot-times.ts";
import { NEW_METER, type RunPlan, type RunRecord } from "../../../model/runs/run-record.ts";
import { PROVIDERS } from "../../../model/workload.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { firstStart, isStopping } from "./first-start.ts";
import { askedAtBegin } from "../state/asked-power.ts";
import { liveNow } from "../machine/machines-of.ts";

/** Whether admission decided the run that the object asks for, and not only accepted another value of `landfall.dev/run`. */
function isDecided({ keys }: CompositionContext, object: Resource): boolean {
  if (keys === null) return true;
  const verified = verifyDecision(keys(), object);
  return verified !== null && verified.signature.use !== "offer" && (verified.decision.run ?? "") === runOf(object);
}

/**
 * Whether another run of the object is to begin: it asks for one, and its last one leaves nothing that is still to be deleted or stopped. What
 * is gone is decided again.
 */
export async function asksAgain(context: CompositionContext, object: Resource, record: RunRecord): Promise<boolean> {
  const { run, end, removedAt, plan, deletingSince } = record;
  if (!isAnotherRun(runOf(object), run)) return false;
  if (removedAt !== null) return isDecided(context, object);
  if (deletingSince !== undefined) return false;
  // While its user pauses the object, nothing would start its machine.
  if (end === null || plan.whenDone === "delete" || isPaused(object)) return false;
  return !isStopping(record, await liveNow(context, record));
}

export const generationOf = ({ metadata: { generation } }: Resource): Pick<RunRecord, "generation"> =>
  generation === undefined ? {} : { generation };

/** Boots after whose time a machine comes late. */
const LATE_BOOTS = 2;

/** From when on the machine of a run that begins now comes late, by the time to boot that is known. */
export function lateAfterOf(
  { boots }: Pick<CompositionContext, "boots">,
  { kind, spec }: Resource,
): Pick<RunRecord, "lateAfter"> {
  const provider = PROVIDERS.find((one) => one === spec?.["provider"]);
  if (!isKind(kind) || provider === undefined) return {};
  return { lateAfter: LATE_BOOTS * bootTimeOf(kind, provider, boots.known()).seconds };
}

/** The record without what is not the next run's: the use of the last one, its evictions and what it lost. */
function withoutLast({
  fallbacks: _fallbacks,
  before: _before,
  refused: _refused,
  evictions: _evictions,
  lostSeconds: _lost,
  asked: _asked,
  lateSince: _late,
  goneSince: _gone,
  off: _off,
  overuse: _overuse,
  ...kept
}: RunRecord): RunRecord {
  return kept;
}

/** The plan of the last run without its pauses and their resumes: those of the next one are decided with it. */
function withoutPauses({ resume: _resume, ...plan }: RunPlan): RunPlan {
  return plan.pauses === undefined ? plan : { ...plan, pauses: [] };
}

/** Begins another run: from nothing if nothing is left, otherwise with what exists. Null if nothing does. */
export async function beginAgain(
  context: CompositionContext,
  object: Resource,
  record: RunRecord,
  now: number,
): Promise<RunRecord | null> {
  context.record(object, { type: "Normal", reason: "AnotherRun", message: `run ${runOf(object)} was asked for` });
  if (record.removedAt !== null) {
    await context.runs.remove(record.uid);
    return null;
  }
  const firstStartedAt = firstStart(record, await liveNow(context, record), now);
  const next = {
    ...withoutLast(record),
    ...(record.kind === "VmTemplate" ? askedAtBegin(record, firstStartedAt === now, now) : {}),
    plan: withoutPauses(record.plan),
    run: runOf(object),
    reporter: record.reporter ?? record.run,
    startedAt: now,
    firstStartedAt,
    end: null,
    wasReady: false,
    machine: null,
    reported: null,
    meter: NEW_METER,
    ...generationOf(object),
    ...lateAfterOf(context, object),
  };
  return context.runs.change(next);
}
