import type { Placement } from "../model/decision.ts";
import type { Move, PlaceAndStart } from "../model/move.ts";
import { formatTime } from "../model/time.ts";

/** Older ones are forgotten: the annotation is small. */
const KEPT = 5;

const whereAndWhen = ({ provider, region, start }: Placement): PlaceAndStart => ({
  place: `${provider}/${region}`,
  start,
});

/** Share of the first figure that the second one saves, to four digits; null where either is unknown or nothing is emitted. */
export function shareSaved(before: number | null, after: number | null): number | null {
  if (before === null || after === null || before <= 0) return null;
  return Math.round((1 - after / before) * 1e4) / 1e4;
}

/** The move from one placement to another, by what both would emit as known at `now` (seconds since 1970). */
export function moveBetween(from: Placement, to: Placement, now: number, why: string): Move {
  const gain = shareSaved(from.gramsCO2, to.gramsCO2);
  return { at: formatTime(now), from: whereAndWhen(from), to: whereAndWhen(to), gain, why };
}

/** The earlier moves and this one, the newest last. */
export const withMove = (earlier: readonly Move[] = [], move: Move): Move[] => [...earlier, move].slice(-KEPT);
