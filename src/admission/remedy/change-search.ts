import type { Decision } from "../../model/decision.ts";
import { placeName } from "../../model/workload.ts";

export type Fields = Record<string, unknown>;
/** The decision with these fields changed; null once the search budget is spent. */
export type Ask = (fields: Fields) => Decision | null;

export interface FoundChange {
  fields: Fields;
  text: string;
  /** The place that the object then gets, as ` (aws/eu-south-1)`; empty if there is none to say. */
  where: string;
  /** How much of the requirement is given up, to compare changes of different fields: |ln(new / old)| for numbers. */
  cost: number;
}

/** Of what is not to blame for a denial: it is a remedy only where no other one is. */
export const LAST_COST = 20;

/** A way to change an object: its extreme, and the smallest version that helps. */
export interface CandidateChange {
  /** Fields for the search of pairs with this change at its extreme; null if a pair makes no sense. */
  loosest: { fields: Fields; text: string } | null;
  smallest(ask: Ask): FoundChange | null;
}

/** The place of the object, in brackets. */
export const place = (decision: Decision | null): string => {
  const placement = decision?.placement ?? null;
  return placement === null ? "" : ` (${placeName(placement)})`;
};

/** The first of several versions that passes. */
export function firstOf(
  versions: readonly { fields: Fields; text: string }[],
  cost: number,
  loosest: CandidateChange["loosest"],
): CandidateChange {
  return {
    loosest,
    smallest: (ask) => {
      for (const { fields, text } of versions) {
        const decision = ask(fields);
        if (decision?.allowed === true) return { fields, text, where: place(decision), cost };
      }
      return null;
    },
  };
}

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
