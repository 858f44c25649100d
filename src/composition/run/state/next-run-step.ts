import type { EndedBy, RunEnd, RunOutcome, RunPlan, RunState } from "../../../model/runs/run-record.ts";
import { HOUR_SECONDS } from "../../../model/time.ts";
import { nextTurn, pausedSeconds, pausedUntil, workEnd } from "../../../model/runs/run-times.ts";

/** A sign of others about a run: a report of its completion, or a machine that no longer runs. */
export interface RunSign {
  by: Exclude<EndedBy, "time" | "limit" | "eviction">;
  outcome: RunOutcome;
}

export interface RunStep {
  /** The end, if it was found only now: it is recorded before anything is done about it. */
  found: RunEnd | null;
  /**
   * `run`: keep it as its spec says. `pause`: it is stopped until `pausedUntil`. `upgrade`: what is installed has to be as its spec says
   * before it is removed. `rest`: it is over, and nothing is done (any more, or yet).
   */
  do: "run" | "pause" | "upgrade" | "stop" | "remove" | "rest";
  /** Only of a paused run: when it is resumed. */
  pausedUntil?: number;
  /** Of a machine that is still on although it should be off: its provider's word for that. */
  stillOn?: string;
  /** When the run is meant to be over. */
  endsAt: number | null;
  /** When its resources are deleted; null for never. */
  deletesAt: number | null;
  /** Since when it is over and still there, and nothing will end it. */
  overdueSince: number | null;
  /** When to look again; null if time alone changes nothing. */
  lookAt: number | null;
}

const plus = (from: number, seconds: number | null): number | null => (seconds === null ? null : from + seconds);

const earliest = (...times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
};

/** When its machine has to be gone, whichever run it is at. */
const limitOf = (plan: RunPlan, { startedAt, firstStartedAt = startedAt }: RunState): number | null =>
  plus(firstStartedAt, plan.maxLifetime);

/** When a run began. One that was evicted starts again, and its first start counts. */
const begunAt = ({ startedAt, firstStartedAt = startedAt, evictions }: RunState): number =>
  evictions === undefined ? startedAt : firstStartedAt;

/** Its deadline; null without one, and for a run that began after it: it was held back, and begins late. */
const deadlineOf = ({ deadline }: RunPlan, state: RunState): number | null =>
  deadline === undefined || deadline <= begunAt(state) ? null : deadline;

/** The latest end of its work: its deadline, or its limit if that is earlier. */
export const latestEnd = (plan: RunPlan, state: RunState): number | null =>
  earliest(deadlineOf(plan, state), limitOf(plan, state));

/** Until when a run whose machine was evicted may start again and still be done in time; null for never, or for one that runs. */
export function lastRestart(plan: RunPlan, state: RunState): number | null {
  if (state.evictions?.waiting !== true) return null;
  const latest = latestEnd(plan, state);
  return latest === null ? null : latest - (plan.duration ?? 0);
}

/** Evictions after which a run without a limit starts again. One whose machine shuts down each time would run for ever. */
const MOST_EVICTIONS = 24;

const isEvictedTooOften = (plan: RunPlan, state: RunState): boolean =>
  latestEnd(plan, state) === null && (state.evictions?.count ?? 0) > MOST_EVICTIONS;

/** A run that never got a machine again has failed: as long as it can still be done in time, it waits for one. */
function failedRestart(plan: RunPlan, state: RunState): number | null {
  if (state.evictions?.waiting !== true) return null;
  if (isEvictedTooOften(plan, state)) return state.startedAt;
  return lastRestart(plan, state) ?? workEnd(plan, state.startedAt);
}

/** From when on the first machine of a run comes late; null for runs of earlier versions. */
export const lateFrom = ({ startedAt, lateAfter }: RunState): number | null => plus(startedAt, lateAfter ?? null);

/** When the work of a run would be done that began at its start. One without a machine waits for it also if its duration is shorter than a boot. */
function fullEnd(plan: RunPlan, state: RunState): number | null {
  const end = workEnd(plan, state.startedAt);
  return end === null || state.refused !== true ? end : Math.max(end, lateFrom(state) ?? end);
}

/** When the work of a run is done; at its deadline, if not all of it fits before that. Null without a duration. */
function doneAt(plan: RunPlan, state: RunState): number | null {
  const end = fullEnd(plan, state);
  return end !== null && (state.lostSeconds ?? 0) > 0 ? earliest(end, deadlineOf(plan, state)) : end;
}

/** When the work of a run is done by its plan; while it waits for a machine after an eviction, at the latest. Null without a duration. */
function plannedEnd(plan: RunPlan, state: RunState): number | null {
  const last = lastRestart(plan, state);
  return last === null || plan.duration === null ? doneAt(plan, state) : last + plan.duration;
}

/** Seconds of its work that a run may lack and still have done it: its machine is stopped when it is done. */
const SAME_SECONDS = 60;

/** Whether the machine of a run was on for its whole duration. */
const hasWorked = ({ duration }: RunPlan, { meter }: RunState): boolean =>
  duration !== null && (meter?.hours ?? 0) * HOUR_SECONDS >= duration - SAME_SECONDS;

/** Whether a run has had no machine since its start: none was there, and none is. Its provider may have refused nothing. */
export function hadNoMachine(plan: RunPlan, state: RunState, at: number): boolean {
  const { refused, meter, wasReady, evictions, startedAt } = state;
  if (refused === true) return true;
  const isOff = wasReady === false && meter?.on === false && !hasWorked(plan, state);
  return isOff && evictions === undefined && pausedSeconds(plan, startedAt, at) === 0;
}

/** The outcome of a run that time ends at `at`. Without a machine nothing was done, and not all if it was missing for too long or had to go before. */
function outcomeAt(plan: RunPlan, state: RunState, at: number): RunOutcome {
  const isCut = (workEnd(plan, state.startedAt) ?? at) > at;
  return hadNoMachine(plan, state, at) || (state.lostSeconds ?? 0) > 0 || isCut ? "failed" : "unknown";
}

/** The end that time gives by now. It ends nothing that is to be kept: then only the limit does. */
function endByTime(plan: RunPlan, state: RunState, now: number): RunEnd | null {
  const failed = failedRestart(plan, state);
  if (failed !== null && failed <= now) return { at: now, by: "eviction", outcome: "failed" };
  // While a run waits for a machine, only its last chance to start and its limit end it.
  const isTimed = plan.whenDone !== "keep" && state.evictions?.waiting !== true;
  const planned = isTimed ? doneAt(plan, state) : null;
  const limit = limitOf(plan, state);
  const times: RunEnd[] = [
    ...(planned === null ? [] : [{ at: planned, by: "time" as const, outcome: outcomeAt(plan, state, planned) }]),
    ...(limit === null ? [] : [{ at: limit, by: "limit" as const, outcome: outcomeAt(plan, state, limit) }]),
  ];
  const [first] = times.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
  // Another run on a machine whose limit is reached is over when it begins.
  return first === undefined ? null : { ...first, at: Math.max(first.at, state.startedAt) };
}

/** The end that has come by now. Who reported the completion knows its outcome, also where time ends the run before a controller looks. */
function endBy(plan: RunPlan, state: RunState, sign: RunSign | null, now: number): RunEnd | null {
  const byTime = endByTime(plan, state, now);
  const isKnown = sign !== null && (byTime === null || sign.by !== "provider");
  return isKnown ? { ...sign, at: byTime?.at ?? now } : byTime;
}

/** When the resources are deleted, by the plan alone. `stop` and `retain` delete nothing; the limit ends also what is to be kept. */
export function plannedDeletion(plan: RunPlan, state: RunState, end: RunEnd | null): number | null {
  if (plan.retains || plan.whenDone === "stop") return null;
  const limit = limitOf(plan, state);
  if (plan.whenDone === "keep") return limit;
  const over = end?.at ?? plannedEnd(plan, state);
  const kept = end?.outcome === "failed" ? Math.max(plan.grace, plan.keepFailed ?? 0) : plan.grace;
  return earliest(over === null ? null : over + kept, limit);
}

/**
 * When the resources are deleted: no earlier than a grace after a changed plan asked for it. A deletion that has begun continues, also if it began by a clock
 * that was set back since.
 */
function deletionOf(plan: RunPlan, state: RunState, { end, now }: { end: RunEnd | null; now: number }): number | null {
  if (state.deletingSince !== undefined) return Math.min(state.deletingSince, now);
  const planned = plannedDeletion(plan, state, end);
  return planned === null || state.graceFrom === undefined ? planned : Math.max(planned, state.graceFrom + plan.grace);
}

function actionOf(
  plan: RunPlan,
  end: RunEnd | null,
  { due, paused }: { due: boolean; paused: boolean },
): RunStep["do"] {
  if (end === null) return paused ? "pause" : "run";
  if (due) return "remove";
  // Stopping deletes nothing, so that also a machine that is to be retained is stopped.
  return plan.whenDone === "stop" ? "stop" : "rest";
}

const ifAhead = (time: number | null, now: number): number | null => (time !== null && time > now ? time : null);

/** Whether a run is over that had no machine at its end: its provider refused it, or it was off or deleted. */
export const isMissing = ({ end, refused, meter }: Pick<RunState, "end" | "refused" | "meter">): boolean =>
  end !== null && (refused === true || meter?.on === false);

/** Nothing will end what is to be kept, so it is overdue as soon as it is over. Without a machine, nothing is there. */
function overdueSince(
  { retains, whenDone }: RunPlan,
  state: RunState,
  { endsAt, isDue, now }: { endsAt: number | null; isDue: boolean; now: number },
): number | null {
  const isKept = (retains && whenDone !== "stop") || whenDone === "keep";
  if (!isKept || isDue || endsAt === null || endsAt > now) return null;
  if (state.lateSince !== undefined) return Math.max(endsAt, state.lateSince);
  return state.refused !== true && !isMissing(state) ? endsAt : null;
}

const NO_PAUSE: { turn: number | null; pausedUntil?: number } = { turn: null };

/** The pause at `now`, and the next time at which one begins or ends. */
function pauseOf(plan: RunPlan, { startedAt }: RunState, now: number): typeof NO_PAUSE {
  const until = pausedUntil(plan, startedAt, now);
  return { turn: nextTurn(plan, startedAt, now), ...(until === null ? {} : { pausedUntil: until }) };
}

const waitingUntil = (plan: RunPlan, state: RunState, now: number): number | null =>
  state.end === null ? ifAhead(failedRestart(plan, state), now) : null;

/** When the machine of a run comes late, as long as it is not there. */
const lateAt = (state: RunState, now: number): number | null =>
  state.end === null && state.wasReady === false && state.refused !== true ? ifAhead(lateFrom(state), now) : null;

/** Seconds for which a cluster has to be gone before its run is over: an operator may show none for a moment. */
const GONE_SECONDS = 300;

/** When a run is over whose cluster is gone, if it stays so; null for any other. */
export const goneAt = ({ end, goneSince }: RunState): number | null =>
  end === null && goneSince !== undefined ? goneSince + GONE_SECONDS : null;

/**
 * The next step of a run at `now`, seconds since 1970 by the API server's clock. A function of what is recorded and of what is
 * seen, so that a controller which was killed anywhere continues where it was. Pure.
 */
export function nextRunStep(plan: RunPlan, state: RunState, sign: RunSign | null, now: number): RunStep {
  const found = state.end === null ? endBy(plan, state, sign, now) : null;
  const end = state.end ?? found;
  const endsAt = end?.at ?? earliest(plannedEnd(plan, state), limitOf(plan, state));
  if (state.removedAt !== null)
    return { found: null, do: "rest", endsAt, deletesAt: null, overdueSince: null, lookAt: null };
  const deletesAt = deletionOf(plan, state, { end, now });
  const isDue = deletesAt !== null && deletesAt <= now;
  const { turn, ...pause } = end === null ? pauseOf(plan, state, now) : NO_PAUSE;
  return {
    ...{ found, do: actionOf(plan, end, { due: isDue, paused: "pausedUntil" in pause }), endsAt, deletesAt },
    ...pause,
    overdueSince: overdueSince(plan, { ...state, end }, { endsAt, isDue, now }),
    lookAt: earliest(
      ...[endsAt, deletesAt, goneAt({ ...state, end })].map((time) => ifAhead(time, now)),
      ...[turn, waitingUntil(plan, state, now), lateAt(state, now)],
    ),
  };
}
