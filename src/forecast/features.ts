import { DAY_HOURS, WEEK_HOURS } from "../model/time.ts";
import { HORIZON_HOURS } from "./lead-buckets.ts";

/** Number of features of a future hour. */
export const FEATURES = 9;
/** The first features describe the last hours and are the same for every future hour. */
export const RECENT = 4;

/** Decay time of the last hour's error; its half-life is about eight hours. */
export const DECAY_HOURS = 12;
/** The remaining share by lead. */
const DECAY = Float64Array.from({ length: HORIZON_HOURS + 1 }, (_, lead) => Math.exp(-lead / DECAY_HOURS));
/** The steady forecast's weight of what the last four weeks add to the base. */
const STEADY = 0.5;

/** The data of a zone: the first `known` values, their sums, and the errors of the base. */
export interface Known {
  values: Float64Array;
  /** How many hours have ended. */
  known: number;
  /** By hour: the sum of its value and those of the same hour of all earlier days; and of all earlier weeks. */
  days: Float64Array;
  weeks: Float64Array;
  /** By hour: its difference from the mean of the same hour of the seven days before. */
  errors: Float64Array;
  /** Prefix sums of `errors`. */
  errorSums: Float64Array;
}

/** A zone without data. */
export function nothingKnown(values: Float64Array): Known {
  const { length } = values;
  const empty = (): Float64Array => new Float64Array(length);
  const errorSums = new Float64Array(length + 1);
  return { values, known: 0, days: empty(), weeks: empty(), errors: empty(), errorSums };
}

/** Adds one more hour. */
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

/** Mean of up to `count` values at `last` and whole days before it. */
export function meanOfDays(days: Float64Array, last: number, count: number): number {
  const taken = Math.min(count, Math.floor(last / DAY_HOURS) + 1);
  return ((days[last] ?? 0) - (days[last - DAY_HOURS * taken] ?? 0)) / taken;
}

function meanOfWeeks(weeks: Float64Array, last: number, count: number): number {
  const taken = Math.min(count, Math.floor(last / WEEK_HOURS) + 1);
  return ((weeks[last] ?? 0) - (weeks[last - WEEK_HOURS * taken] ?? 0)) / taken;
}

/** The baseline forecast that the weights correct: the mean of the same hour on the last seven days. */
function base({ values, days }: Known, target: number, daysAhead: number): number {
  const last = target - DAY_HOURS * daysAhead;
  return last < 0 ? (values[0] ?? 0) : meanOfDays(days, last, 7);
}

/** Writes the differences of the last hours from their base, after `known` hours: the same for every future hour. */
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
 * Writes features of the same hour on earlier days for hour `target`, at most `daysAhead` whole days ahead, each
 * relative to the base. Returns the base.
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
 * A simple but good forecast, relative to the base: half of what the last four weeks add to it, plus the last hour's
 * remaining error, which decays with the lead.
 */
export const steady = (row: Float64Array, lastError: number, lead: number): number =>
  STEADY * (row[RECENT + 3] ?? 0) + lastError * (DECAY[lead] ?? 0);

/** The error of `steady` for the last of `known` hours, made the hour before without the last error. */
export function steadyError(data: Known, known: number, scratch: Float64Array): number {
  describeHour(data, known - 1, 1, scratch);
  return (data.errors[known - 1] ?? 0) - STEADY * (scratch[RECENT + 3] ?? 0);
}
