import { isDeepStrictEqual } from "node:util";
import type { Decision, Placement } from "../../../model/decision.ts";
import type { Move, PlaceAndStart } from "../../../model/decision-annotation/compact-decision.ts";
import { DAY_SECONDS, formatTime, parseTime } from "../../../model/time.ts";
import { placeName } from "../../../model/workload.ts";

/** Older ones are forgotten, because the annotation is small. So many bring forecasts to rest that differ by all there is: 1 % doubled seven times. */
const KEPT = 7;

const whereAndWhen = (placement: Placement): PlaceAndStart => ({ place: placeName(placement), start: placement.start });

/** Share of the first figure that the second one saves, to four digits; null where either is unknown or nothing is emitted. */
export function shareSaved(before: number | null, after: number | null): number | null {
  if (before === null || after === null || before <= 0) return null;
  return Math.round((1 - after / before) * 1e4) / 1e4;
}

/** The grams that a start counts as less, because it is decided again until then. */
const forWaiting = ({ carbon }: Placement): number => carbon?.gramsForWaiting ?? 0;

/** The cost of waiting from one end to another, in grams; negative if the other one is earlier. */
function waitedGrams(from: Placement, to: Placement): number {
  const seconds = (parseTime(to.end ?? to.start) ?? 0) - (parseTime(from.end ?? from.start) ?? 0);
  return ((to.carbon?.waitingGramsPerDay ?? 0) * seconds) / DAY_SECONDS;
}

/** Whether waiting counted for one of them. */
const countsWaiting = (from: Placement, to: Placement): boolean =>
  [from, to].some((placement) => forWaiting(placement) > 0) || waitedGrams(from, to) !== 0;

/**
 * Share of the first placement's carbon that the second one saves, with the option value of waiting and its cost, as in the choice
 * of a start; null where it is unknown.
 */
function netGain(from: Placement, to: Placement): number | null {
  const { gramsCO2: before } = from;
  if (before === null || to.gramsCO2 === null) return null;
  return shareSaved(before, to.gramsCO2 - forWaiting(to) + forWaiting(from) + waitedGrams(from, to));
}

interface Why {
  gain: number | null;
  why: string;
}

/** The move from one placement to another at `now` (seconds since 1970). */
export const moveBetween = (from: Placement, to: Placement, nowSeconds: number, { gain, why }: Why): Move => ({
  at: formatTime(nowSeconds),
  from: whereAndWhen(from),
  to: whereAndWhen(to),
  gain,
  why,
});

/** The earlier moves and this one, the newest last. */
export const withMove = (earlier: readonly Move[] = [], move: Move): Move[] => [...earlier, move].slice(-KEPT);

/** For so long a move makes the next one harder. */
const REMEMBERED_SECONDS = 86_400;

export interface MoveInput {
  /** The figures of the decided place and start by the current bundle and forecasts. */
  here: Decision;
  /** The choice of the current bundle and forecasts. */
  again: Placement;
  /** The platform's setting. */
  minimumGain: number;
  /** Earlier moves of the object. */
  moves: readonly Move[];
  /** Seconds since 1970. */
  nowSeconds: number;
}

export interface MoveAnswer {
  /** Why it moves, in a word; null where it stays. */
  move: string | null;
  /** Share of the carbon that it saves, with the option value of waiting; null where that is unknown. */
  gain: number | null;
  /** The same for people. */
  text: string;
}

/**
 * Share of the carbon that a move has to save: the setting, doubled for every move of the last day. Two forecasts that take
 * turns then come to rest after a few moves, however far apart they are.
 */
export function neededGain(minimumGain: number, moves: readonly Move[], nowSeconds: number): number {
  const recent = moves.filter(({ at }) => nowSeconds - (parseTime(at) ?? 0) < REMEMBERED_SECONDS);
  return minimumGain * 2 ** recent.length;
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const pauses = ({ segments }: Placement): string =>
  segments === undefined ? "" : ` with ${String(segments.length - 1)} pause${segments.length === 2 ? "" : "s"}`;
const named = (placement: Placement): string => `${placeName(placement)} at ${placement.start}${pauses(placement)}`;

/** Whether an object that waits for its start is better moved. Pure. */
export function worthMoving({ here, again, minimumGain, moves, nowSeconds }: MoveInput): MoveAnswer {
  if (here.placement === null) {
    const codes = [...new Set(here.denials.map(({ code }) => code))].join(", ");
    return { move: codes, gain: null, text: `moves to ${named(again)}: its place is not allowed any more (${codes})` };
  }
  const place = named(here.placement);
  if (place === named(again) && isDeepStrictEqual(here.placement.segments, again.segments))
    return { move: null, gain: 0, text: `stays in ${place}: nothing is better` };
  const gain = netGain(here.placement, again);
  if (gain === null) return { move: null, gain, text: `stays in ${place}: what a move would save is not known` };
  const needed = neededGain(minimumGain, moves, nowSeconds);
  const waits = countsWaiting(here.placement, again) ? ", waiting counted" : "";
  if (gain > 0 && gain >= needed) {
    const text = `moves from ${place} to ${named(again)}: ${percent(gain)} less CO2e${waits}`;
    return { move: `forecast${waits}`, gain, text };
  }
  const saved = gain > 0 ? `saves ${percent(gain)}${waits}` : "saves nothing";
  return { move: null, gain, text: `stays in ${place}: ${named(again)} ${saved} and ${percent(needed)} are needed` };
}
