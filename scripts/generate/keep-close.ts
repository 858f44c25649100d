/** Differences up to this come from the order of sums and from rounding, and make no measurable difference to a forecast. */
const CLOSE = 2e-4;

type Rows = readonly (readonly number[])[];

const isClose = (one: Rows, other: Rows): boolean =>
  one.length === other.length &&
  one.every((row, at) => {
    const same = other[at] ?? [];
    return row.length === same.length && row.every((value, column) => Math.abs(value - (same[column] ?? 0)) <= CLOSE);
  });

/** `before` if all of its numbers are close to those of `learned`, so that generating again changes no last digits. */
export const keepClose = (before: Rows | null, learned: Rows): Rows =>
  before !== null && isClose(before, learned) ? before : learned;
