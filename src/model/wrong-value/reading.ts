/** How a wrong value can be understood. */
export interface Reading {
  /** What is wrong, where more can be said than that it is not what the field takes. */
  problem?: string;
  /** What to do, if it is not to write `value`. */
  advice?: string;
  /** What to write; undefined if that cannot be told. */
  value?: unknown;
  /** Whether nothing else can be meant. */
  sure?: boolean;
}

/** One that nothing else can be meant by. */
export const surely = (value: unknown, problem?: string): Reading =>
  problem === undefined ? { value, sure: true } : { value, sure: true, problem };
