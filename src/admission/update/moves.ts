import type { Placement } from "../../model/decision.ts";
import type { Move, PlaceAndStart } from "../../model/decision-annotation/compact-decision.ts";
import { formatTime } from "../../model/time.ts";

/** Older ones are forgotten, because the annotation is small. So many bring forecasts to rest that differ by all there is: 1 % doubled seven times. */
const KEPT = 7;

const whereAndWhen = ({ provider, region, start }: Placement): PlaceAndStart => ({
  place: `${provider}/${region}`,
  start,
});

/** Share of the first figure that the second one saves, to four digits; null where either is unknown or nothing is emitted. */
export function shareSaved(before: number | null, after: number | null): number | null {
  if (before === null || after === null || before <= 0) return null;
  return Math.round((1 - after / before) * 1e4) / 1e4;
}

/** The grams that a start counts as less, because it is decided again until then. */
const forWaiting = ({ carbon }: Placement): number => carbon?.gramsForWaiting ?? 0;

/** Whether waiting counted for one of them. */
export const countsWaiting = (...placements: Placement[]): boolean =>
  placements.some((placement) => forWaiting(placement) > 0);

/** Share of the first placement's carbon that the second one saves, with what waiting is worth for both; null where it is unknown. */
export function countedGain(from: Placement, to: Placement): number | null {
  const { gramsCO2: before } = from;
  if (before === null || to.gramsCO2 === null) return null;
  return shareSaved(before, to.gramsCO2 - forWaiting(to) + forWaiting(from));
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
