import { checkAlone } from "../../admission/decide/decide.ts";
import { withParts } from "../../admission/update/planned-parts.ts";
import type { DecisionRequest } from "../../admission/types.ts";
import type { Decision } from "../../model/decision.ts";
import type { NamespaceData, Resource } from "../../model/kubernetes.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { formatTime, HOUR_SECONDS, parseTime, WEEK_HOURS } from "../../model/time.ts";
import { placeName } from "../../model/workload.ts";
import type { Row } from "../contract/rows.ts";
import type { OtherStart, Start, Starts } from "../contract/timeline.ts";
import { rowOf } from "../objects/row-of.ts";
import type { Doing } from "../server/turns.ts";
import { type Decider, decidedAt, pinsOf, requestOf } from "./decision-request.ts";

/** A page waits for this long, in ms. */
const MOST_MS = 3000;

function startOf({ placement }: Decision): Start | null {
  if (placement === null) return null;
  const { start, instanceType, gramsCO2: grams, pricePerHour } = placement;
  const usd = pricePerHour === null ? null : pricePerHour * (runHours(placement) ?? 1);
  const pauses = Math.max(0, (placement.segments?.length ?? 1) - 1);
  return { start, place: placeName(placement), instanceType, grams, usd, pauses };
}

/**
 * The possible starts, in seconds since 1970: now, and every full hour of at most a week. First every eighth, then those between, so
 * that an answer without time for all of them has some of each day.
 */
export function startsToTry(from: number, to: number): number[] {
  const first = Math.floor(from / HOUR_SECONDS) + 1;
  const last = Math.min(Math.floor(to / HOUR_SECONDS), first + WEEK_HOURS);
  const hours = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => at);
  const fineness = (at: number): number => [8, 4, 2].findIndex((step) => at % step === 0);
  const rank = (at: number): number => (fineness(at) === -1 ? 3 : fineness(at));
  const later = hours.sort((a, b) => rank(a) - rank(b) || a - b).map((at) => (first + at) * HOUR_SECONDS);
  return from > to ? later : [from, ...later];
}

function tryStart(request: DecisionRequest, place: string | null, seconds: number): OtherStart {
  const start = formatTime(seconds);
  const decision = checkAlone({ ...request, pins: { schedulingTime: start } });
  const best = startOf(decision);
  const isHere = place === null || best?.place === place;
  const here = isHere ? best : startOf(checkAlone({ ...request, pins: { ...pinsOf(place), schedulingTime: start } }));
  return { start, here, best, denial: best === null ? (decision.denials[0]?.message ?? "no place is left") : "" };
}

/** The recorded place and start by the same code and data as the others, with the recorded pauses and without them. */
function decidedAgain(
  request: DecisionRequest,
  { place, start, end, parts }: Row,
): Pick<Starts, "decided" | "withoutPauses"> {
  if (place === null || start === null) return { decided: null, withoutPauses: null };
  const fixed = { ...request, pins: { ...pinsOf(place), schedulingTime: start } };
  const whole = checkAlone(fixed);
  if (parts.length < 2) return { decided: startOf(whole), withoutPauses: null };
  // A start that is fixed has no pauses, so the recorded ones are put in.
  return { decided: startOf(withParts(fixed, whole, { segments: parts, end })), withoutPauses: startOf(whole) };
}

/** An object that waits can start from now on; any other could have from its decision on. */
function timeOf(object: Resource, { state }: Row, now: number): number {
  return state === "waiting" ? now : decidedAt(object, now);
}

export interface StartsAsked {
  object: Resource;
  namespace: NamespaceData;
  /** Other pages are answered between two turns. */
  inTurn: Doing;
}

/** The other starts of an object, now and at every full hour, in its place and in the best one, decided by the code that decides. */
export async function otherStarts(
  { object, namespace, inTurn }: StartsAsked,
  decider: Decider,
  nowSeconds: number,
): Promise<Starts> {
  const row = rowOf(object);
  const at = timeOf(object, row, nowSeconds);
  const request = requestOf(object, namespace, decider, at);
  const latest = row.latestStart === null ? null : parseTime(row.latestStart);
  const all = startsToTry(at, latest ?? Number.POSITIVE_INFINITY);
  const until = performance.now() + MOST_MS;
  const starts: OtherStart[] = [];
  for (const seconds of all) {
    if (performance.now() > until) break;
    starts.push(await inTurn(() => tryStart(request, row.place, seconds)));
  }
  return {
    at: formatTime(at),
    ...(await inTurn(() => decidedAgain(request, row))),
    perHour: row.end === null,
    starts: starts.sort((a, b) => (a.start < b.start ? -1 : 1)),
    complete: starts.length === all.length,
  };
}
