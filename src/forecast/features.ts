const DAY = 24;
const WEEK = 168;

/** How many figures describe an hour to come. */
export const FEATURES = 9;

/** What is known of a zone: the first `known` values, sums of them, and how wrong the base was. */
export interface Known {
  values: Float64Array;
  /** How many hours are over. */
  known: number;
  /** By hour: the sum of its value and of those of the same hour of all days before it; and of all weeks before it. */
  days: Float64Array;
  weeks: Float64Array;
  /** By hour: its distance from what the mean of the same hour of the seven days before said. */
  errors: Float64Array;
}

/** A zone of which nothing is known yet. */
export function nothingKnown(values: Float64Array): Known {
  const { length } = values;
  const empty = (): Float64Array => new Float64Array(length);
  return { values, known: 0, days: empty(), weeks: empty(), errors: empty() };
}

/** Takes note of one more hour. */
export function takeNote(data: Known): void {
  const { values, known: hour, days, weeks, errors } = data;
  const value = values[hour] ?? 0;
  errors[hour] = hour === 0 ? 0 : value - base(data, hour);
  days[hour] = value + (days[hour - DAY] ?? 0);
  weeks[hour] = value + (weeks[hour - WEEK] ?? 0);
  data.known = hour + 1;
}

/** Mean of the last `count` known values that lie whole multiples of `step` before hour `target`. */
function sameHours({ values, known, days, weeks }: Known, target: number, { step, count }: SameHours): number {
  const last = target - step * Math.max(1, Math.ceil((target - known + 1) / step));
  if (last < 0) return values[known - 1] ?? 0;
  const sums = step === DAY ? days : weeks;
  const taken = Math.min(count, Math.floor(last / step) + 1);
  return ((sums[last] ?? 0) - (sums[last - step * taken] ?? 0)) / taken;
}

interface SameHours {
  step: typeof DAY | typeof WEEK;
  count: number;
}

const LAST_WEEK: SameHours = { step: DAY, count: 7 };
const LAST_DAY: SameHours = { step: DAY, count: 1 };
const LAST_TWO_DAYS: SameHours = { step: DAY, count: 2 };
const FOUR_WEEKS: SameHours = { step: WEEK, count: 4 };
const SAME_WEEKDAY: SameHours = { step: WEEK, count: 1 };
const MONTH: SameHours = { step: DAY, count: 28 };

/** The forecast that everything else corrects: the mean of the same hour on the last seven days. */
const base = (data: Known, target: number): number => sameHours(data, target, LAST_WEEK);

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
  const from = base(data, target);
  into.set(recent, 0);
  into[4] = sameHours(data, target, LAST_DAY) - from;
  into[5] = sameHours(data, target, LAST_TWO_DAYS) - from;
  into[6] = sameHours(data, target, SAME_WEEKDAY) - from;
  into[7] = sameHours(data, target, FOUR_WEEKS) - from;
  into[8] = sameHours(data, target, MONTH) - from;
  return from;
}
