import { conditionsOf } from "../../model/kubernetes.ts";
import { ANNOTATION } from "../../model/names.ts";
import { holdReason, startReason, wasHeld } from "../../model/decision-annotation/pause.ts";
import { formatTime, parseTime } from "../../model/time.ts";
import type { ConditionInput, Resource } from "../types.ts";
import { countdown } from "./countdown.ts";
import { missesDeadlineBy, plannedStart } from "../../model/decision-annotation/planned-start.ts";
import { PAUSE_REASON, whoPaused } from "../../model/decision-annotation/who-paused.ts";
import { textOf } from "../../model/json.ts";

/** Whether Landfall holds it back until its start: paused by admission, and nothing installed yet. */
export const isScheduled = (composition: Resource): boolean => whoPaused(composition) === "landfall";

/** True if a held-back composition may start at `nowSeconds` (seconds since 1970). */
export function isDue(composition: Resource, nowSeconds: number): boolean {
  if (!isScheduled(composition)) return false;
  if (startReason(composition) !== null) return true;
  const start = plannedStart(composition);
  return start !== null && start <= nowSeconds;
}

/** Ms until the countdown of a held-back composition changes; null if it has no start. */
export function nextCountdown(composition: Resource, nowSeconds: number): number | null {
  const start = plannedStart(composition);
  if (!isScheduled(composition) || start === null || start <= nowSeconds) return null;
  return countdown(start - nowSeconds).nextMs;
}

const scheduled = (status: "True" | "False", reason: string, message: string): ConditionInput[] => [
  { type: "Scheduled", status, reason, message },
];

function waiting(start: number, nowSeconds: number): ConditionInput[] {
  const at = formatTime(start);
  const left =
    start > nowSeconds ? `in ${countdown(start - nowSeconds).text} (at ${at})` : `immediately (its start was ${at})`;
  return scheduled("True", "WaitingForStart", `starts ${left}`);
}

/** The annotation that the user must remove, and what happens then; `Ready` stops counting down. */
function pausedByUser(composition: Resource, nowSeconds: number): ConditionInput[] {
  const start = plannedStart(composition);
  const at = start !== null && start > nowSeconds ? `at ${formatTime(start)}` : "immediately";
  // Landfall's own pause remains after landfall.dev/hold is removed, so the planned start is kept.
  const name = holdReason(composition) !== "" && wasHeld(composition) !== false ? ANNOTATION.hold : ANNOTATION.paused;
  const message = `paused by its user; remove the annotation ${name} to let it start ${at}`;
  const ready: ConditionInput = { type: "Ready", status: "False", reason: PAUSE_REASON.byUser, message };
  return [...scheduled("False", PAUSE_REASON.byUser, message), ready];
}

function started(composition: Resource, at: number): ConditionInput[] {
  const [why, missed] = [startReason(composition), missesDeadlineBy(composition, at)];
  const early = why === null ? "" : `, before its time: ${why}`;
  const deadline = textOf(composition.spec?.["deadline"]);
  const late = missed > 0 ? `; its run ends ${countdown(missed).text} after its deadline ${deadline}` : "";
  const reason = late !== "" ? "StartedLate" : why === null ? "Started" : "StartedNow";
  return scheduled("False", reason, `started ${formatTime(at)}${early}${late}`);
}

/**
 * When it was resumed: by Landfall, which recorded it, or by its user just now. A record from before it waited belongs
 * to another start.
 */
function startedAt(composition: Resource, waitedSince: string | undefined, nowSeconds: number): number {
  const { annotations, creationTimestamp } = composition.metadata;
  const noted = parseTime(annotations?.[ANNOTATION.started] ?? "");
  const since = parseTime(waitedSince ?? creationTimestamp ?? "") ?? 0;
  return noted !== null && noted >= since ? noted : nowSeconds;
}

/** Reported if it waited before, for its start or for its user, and after a pause that was set after the start. */
function sinceStart(composition: Resource, nowSeconds: number): ConditionInput[] {
  const before = conditionsOf(composition).find(({ type }) => type === "Scheduled");
  const [reason, since] = [before?.reason, before?.lastTransitionTime];
  if (reason === PAUSE_REASON.again) return started(composition, parseTime(since ?? "") ?? nowSeconds);
  const waited = before === undefined ? wasHeld(composition) === true : before.status === "True";
  return waited || reason === PAUSE_REASON.byUser
    ? started(composition, startedAt(composition, since, nowSeconds))
    : [];
}

/**
 * Conditions about its start: when it is, that it has passed, or who holds it back; `Scheduled` first. Empty for a
 * composition that was never held back.
 */
export function scheduledCondition(composition: Resource, nowSeconds: number): ConditionInput[] {
  const [who, start] = [whoPaused(composition), plannedStart(composition)];
  if (who === "user") return pausedByUser(composition, nowSeconds);
  if (who === "user-again") {
    const message = `paused by its user after its start; remove the annotation ${ANNOTATION.paused} to let it continue`;
    return scheduled("False", PAUSE_REASON.again, message);
  }
  return who === "landfall" && start !== null ? waiting(start, nowSeconds) : sinceStart(composition, nowSeconds);
}
