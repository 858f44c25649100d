import { DAY_HOURS, WEEK_HOURS } from "../model/time.ts";
import { HORIZON_HOURS } from "./lead-buckets.ts";

/** How many figures describe an hour to come. */
export const FEATURES = 9;
/** How many of them, the first ones, tell of the last hours and are the same for every hour to come. */
export const RECENT = 4;

/** An error of the last hour halves in about eight hours. */
export const DECAY_HOURS = 12;
/** By lead: what is left of it. */
const DECAY = Float64Array.from({ length: HORIZON_HOURS + 1 }, (_, lead) => Math.exp(-lead / DECAY_HOURS));
/** What the plainest forecast takes of what the last four weeks add to the base. */
const STEADY = 0.5;

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
  /** The sums of `errors` before each hour. */
  errorSums: Float64Array;
}

/** A zone of which nothing is known yet. */
export function nothingKnown(values: Float64Array): Known {
  const { length } = values;
  const empty = (): Float64Array => new Float64Array(length);
  const errorSums = new Float64Array(length + 1);
  return { values, known: 0, days: empty(), weeks: empty(), errors: empty(), errorSums };
}

/** Takes note of one more hour. */
export function takeNote(data: Known): void {
  const { values, known: hour, days, weeks, errors, errorSums } = data;
  const value = values[hour] ?? 0;
  const error = hour === 0 ? 0 : value - base(data, hour, 1);
  errors[hour] = error;
  errorSums[hour + 1] = (errorSums[hour] ?? 0) + error;
  days[hour] = value + (days[hour - DAY_HOURS] ?? 0);
  weeks[hour] = value + (weeks[hour - WEEK_HOURS] ?? 0);
  data.known = hour + 1;
}

/** Mean of the `count` values at `last` and whole multiples of a day before it, as far as there are so many. */
export function meanOfDays(days: Float64Array, last: number, count: number): number {
  const taken = Math.min(count, Math.floor(last / DAY_HOURS) + 1);
  return ((days[last] ?? 0) - (days[last - DAY_HOURS * taken] ?? 0)) / taken;
}

function meanOfWeeks(weeks: Float64Array, last: number, count: number): number {
  const taken = Math.min(count, Math.floor(last / WEEK_HOURS) + 1);
  return ((weeks[last] ?? 0) - (weeks[last - WEEK_HOURS * taken] ?? 0)) / taken;
}

/** The forecast that everything else corrects: the mean of the same hour on the last seven days. */
function base({ values, days }: Known, target: number, daysAhead: number): number {
  const last = target - DAY_HOURS * daysAhead;
  return last < 0 ? (values[0] ?? 0) : meanOfDays(days, last, 7);
}

/** Writes how far the last hours lay from their own base when `known` hours were over: the same for every hour to come. */
export function describeRecent({ errors, errorSums }: Known, known: number, into: Float64Array): void {
  const meanOfLast = (hours: number): number => {
    const from = Math.max(0, known - hours);
    return ((errorSums[known] ?? 0) - (errorSums[from] ?? 0)) / Math.max(1, known - from);
  };
  into[0] = errors[known - 1] ?? 0;
  into[1] = (errors[known - 1] ?? 0) - (errors[known - 4] ?? 0);
  into[2] = meanOfLast(6);
  into[3] = meanOfLast(DAY_HOURS);
}

/**
 * Writes what the same hours of earlier days say about hour `target`, which lies at most `daysAhead` whole days after what is
 * known, each figure relative to the base; gives the base.
 */
export function describeHour(data: Known, target: number, daysAhead: number, into: Float64Array): number {
  const { days, weeks } = data;
  const from = base(data, target, daysAhead);
  const last = target - DAY_HOURS * daysAhead;
  const lastWeek = target - WEEK_HOURS * Math.ceil(daysAhead / 7);
  into[RECENT] = last < 0 ? 0 : meanOfDays(days, last, 1) - from;
  into[RECENT + 1] = last < 0 ? 0 : meanOfDays(days, last, 2) - from;
  into[RECENT + 2] = lastWeek < 0 ? 0 : meanOfWeeks(weeks, lastWeek, 1) - from;
  into[RECENT + 3] = lastWeek < 0 ? 0 : meanOfWeeks(weeks, lastWeek, 4) - from;
  into[RECENT + 4] = last < 0 ? 0 : meanOfDays(days, last, 28) - from;
  return from;
}

/**
 * The plainest forecast that does well, relative to the base: half of what the last four weeks add to it, and the last hour's
 * error against that, which decays with the lead.
 */
export const steady = (row: Float64Array, lastError: number, lead: number): number =>
  STEADY * (row[RECENT + 3] ?? 0) + lastError * (DECAY[lead] ?? 0);

/** How far the last of `known` hours lay from what `steady` said about it the hour before, its own last error aside. */
export function steadyError(data: Known, known: number, scratch: Float64Array): number {
  describeHour(data, known - 1, 1, scratch);
  return (data.errors[known - 1] ?? 0) - STEADY * (scratch[RECENT + 3] ?? 0);
}
