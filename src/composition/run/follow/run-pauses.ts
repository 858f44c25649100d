import { readPlacement } from "../../../model/decision-annotation/compact-decision.ts";
import type { Trusted } from "../../../model/decision-annotation/trusted.ts";
import { isObject } from "../../../model/json.ts";
import { pausesOf } from "../../../model/runs/planned-pauses.ts";
import { pauseWayOf, readPauses, withBoot } from "../../../model/runs/pause-rules.ts";
import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { type Pause, pausesSince } from "../../../model/runs/run-times.ts";
import { readTime } from "../../../model/time.ts";
import type { Resource } from "../../types.ts";
import { LATE_SECONDS } from "../state/worked-until.ts";

const timeOf = (value: unknown): number => readTime(value) ?? Number.NaN;

/** The times between the decided parts of a run; null if they are not in order. */
function between(segments: readonly unknown[]): Pause[] | null {
  const parts = segments.map((one) => (isObject(one) ? one : {}));
  const pauses = pausesOf(parts.map(({ start, end }) => ({ start: timeOf(start), end: timeOf(end) })));
  const inOrder = pauses.every(({ from, to }, at) => from < to && (at === 0 || (pauses[at - 1]?.to ?? 0) < from));
  return inOrder ? pauses : null;
}

/** A machine that is to be retained is never deleted: admission denies both, and what it did not see stops. */
const wayOf = ({ retains }: RunPlan, spec: Resource["spec"] = {}): Pick<RunPlan, "recreates"> =>
  pauseWayOf(spec) === "recreate" && !retains ? { recreates: true } : {};

/** The plan with the pauses that admission decided for the object; none for a run that may pause and has only one part. */
export function withPauses(plan: RunPlan, object: Trusted<Resource>): RunPlan {
  const { segments = [], boot } = readPlacement(object);
  const given = readPauses(object.spec ?? {});
  const rules = given && withBoot(given, isObject(boot) && typeof boot["seconds"] === "number" ? boot["seconds"] : 0);
  const pauses = Array.isArray(segments) && rules !== null ? between(segments) : null;
  if (pauses === null || rules === null) return plan;
  return { ...plan, pauses, resume: rules.resumeSeconds, ...wayOf(plan, object.spec) };
}

const atLeast = (time: number, now: number): number => (time < now - LATE_SECONDS ? now : time);

/** Whether the decided pauses continue what has happened by `now` of the recorded ones. */
function agrees(begun: readonly Pause[], decided: readonly Pause[], now: number): boolean {
  const same = begun.every(({ from, to }, at) => {
    const one = decided[at];
    return one?.from === from && (one.to === to || to > now);
  });
  return same && decided.filter(({ from }) => from <= now).length <= begun.length + 1;
}

/** The decided pauses without those that are over and that the user held off, if one is to be carried out now. */
function carriedOut(decided: readonly Pause[], begun: readonly Pause[], now: number): readonly Pause[] {
  const isNow = ({ from, to }: Pause): boolean => from <= now && now < to;
  const kept = ({ from, to }: Pause): boolean => to > now || begun.some((one) => one.from === from);
  return decided.some(isNow) ? decided.filter(kept) : decided;
}

/**
 * The pauses of a run from now on: the decided ones, where they continue what is recorded. What has happened stays, so that a
 * decision that was made by another clock, or that came too late, adds no pause. Times in seconds since 1970.
 */
export function pausesFrom(recorded: RunPlan, decided: RunPlan, startedAt: number, now: number): Pause[] {
  const was = pausesSince(recorded, startedAt);
  const begun = was.filter(({ from }) => from <= now);
  const wanted = carriedOut(pausesSince(decided, startedAt), begun, now);
  if (!agrees(begun, wanted, now)) return was;
  const pauses = wanted.map(({ from, to }, at) => {
    const known = begun[at];
    if (known?.to === to) return known;
    return { from: known === undefined ? atLeast(from, now) : from, to: atLeast(to, now) };
  });
  return pauses.filter(({ from, to }) => from < to);
}

/**
 * The plan while its user pauses the object: nothing stops its machine then, so that a machine that is there works on, and is paid for. A pause
 * that was carried out before stays.
 */
export function withoutHeld(plan: RunPlan, now: number): RunPlan {
  if (plan.pauses === undefined) return plan;
  return { ...plan, pauses: plan.pauses.filter(({ from, to }) => from > now || to <= now) };
}

/** The uids of the objects whose runs may pause and are not over. */
export const openPauses = (records: readonly RunRecord[]): Set<string> =>
  new Set(records.flatMap(({ uid, plan, end }) => (plan.pauses !== undefined && end === null ? [uid] : [])));
