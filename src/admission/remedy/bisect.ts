import type { Decision } from "../../model/decision.ts";

/** The last value from `passing` towards `failing` (both exclusive ends are integers) that still passes. */
export function bisect(passing: number, failing: number, ask: (value: number) => Decision | null): number {
  let [good, bad] = [passing, failing];
  while (Math.abs(good - bad) > 1) {
    const middle = Math.trunc((good + bad) / 2);
    if (ask(middle)?.allowed === true) good = middle;
    else bad = middle;
  }
  return good;
}
