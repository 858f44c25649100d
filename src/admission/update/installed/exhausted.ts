import type { Move } from "../../../model/decision-annotation/compact-decision.ts";
import { DAY_SECONDS, parseTime } from "../../../model/time.ts";

/** Why another zone, size or place was taken, as moves record it: with the one that there was no machine of. */
export const NO_CAPACITY = "no capacity: ";
/** The same of a zone that never has one: the account has no such zone, or the type is not sold there. */
export const NOT_OFFERED = "not offered: ";

/** The zones, types or places of which there was no machine in the last day, for one of these reasons. */
export function exhausted(
  moves: readonly Move[] = [],
  nowSeconds: number,
  reasons: readonly string[] = [NO_CAPACITY, NOT_OFFERED],
): string[] {
  const recent = moves.filter(({ at }) => nowSeconds - (parseTime(at) ?? 0) < DAY_SECONDS);
  return recent.flatMap(({ why }) => {
    const reason = reasons.find((one) => why.startsWith(one));
    return reason === undefined ? [] : [why.slice(reason.length)];
  });
}
