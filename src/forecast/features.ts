const DAY = 24;
const WEEK = 168;

/** How many figures describe an hour to come. */
export const FEATURES = 9;

/** What is known of a zone: `values[0..known)` and running sums over them. */
export interface Known {
  values: Float64Array;
  /** How many hours are over. */
  known: number;
  /** By hour: its distance from what the mean of the same hour of the seven days before said. */
  errors: Float64Array;
}

/** Mean of the last `count` values before hour `known` that lie whole multiples of `step` before hour `target`. */
export function sameHours(values: Float64Array, target: number, known: number, { step, count }: SameHours): number {
  let hour = target - step * Math.max(1, Math.ceil((target - known + 1) / step));
  let sum = 0;
  let taken = 0;
  for (; taken < count && hour >= 0; hour -= step, taken++) sum += values[hour] ?? 0;
  return taken === 0 ? (values[known - 1] ?? 0) : sum / taken;
}

interface SameHours {
  step: number;
  count: number;
}

const LAST_WEEK: SameHours = { step: DAY, count: 7 };
const LAST_DAY: SameHours = { step: DAY, count: 1 };
const LAST_TWO_DAYS: SameHours = { step: DAY, count: 2 };
const FOUR_WEEKS: SameHours = { step: WEEK, count: 4 };
const SAME_WEEKDAY: SameHours = { step: WEEK, count: 1 };
const MONTH: SameHours = { step: DAY, count: 28 };

/** The forecast that everything else corrects: the mean of the same hour on the last seven days. */
export const base = (values: Float64Array, target: number, known: number): number =>
  sameHours(values, target, known, LAST_WEEK);

function meanOfLast(errors: Float64Array, known: number, hours: number): number {
  const from = Math.max(0, known - hours);
  let sum = 0;
  for (let hour = from; hour < known; hour++) sum += errors[hour] ?? 0;
  return known === from ? 0 : sum / (known - from);
}

/** How far the last hours lay from their own base: the same for every hour to come. */
export function recentErrors({ errors, known }: Known): Float64Array {
  return Float64Array.of(
    errors[known - 1] ?? 0,
    (errors[known - 1] ?? 0) - (errors[known - 4] ?? 0),
    meanOfLast(errors, known, 6),
    meanOfLast(errors, known, DAY),
  );
}

/** Writes what is known about hour `target` into `into`, each figure relative to the base; gives the base. */
export function describeHour(data: Known, target: number, recent: Float64Array, into: Float64Array): number {
  const { values, known } = data;
  const from = base(values, target, known);
  into.set(recent, 0);
  into[4] = sameHours(values, target, known, LAST_DAY) - from;
  into[5] = sameHours(values, target, known, LAST_TWO_DAYS) - from;
  into[6] = sameHours(values, target, known, SAME_WEEKDAY) - from;
  into[7] = sameHours(values, target, known, FOUR_WEEKS) - from;
  into[8] = sameHours(values, target, known, MONTH) - from;
  return from;
}
