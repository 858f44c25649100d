import { HOUR_MS } from "../../../../src/model/time.ts";

/** The shown hours on a width in pixels. Times are ms since 1970. */
export interface TimeScale {
  from: number;
  hours: number;
  width: number;
}

export const endOf = ({ from, hours }: TimeScale): number => from + hours * HOUR_MS;

/** The position of a time in pixels; times outside are at the nearest end. */
export const xOf = ({ from, hours, width }: TimeScale, time: number): number =>
  Math.min(1, Math.max(0, (time - from) / (hours * HOUR_MS))) * width;

/** The beginning of the hour at a position; the first or the last hour outside. */
export function hourAt({ from, hours, width }: TimeScale, x: number): number {
  const hour = Math.floor((x / Math.max(1, width)) * hours);
  return from + Math.min(hours - 1, Math.max(0, hour)) * HOUR_MS;
}

export const isShown = (scale: TimeScale, time: number): boolean => time >= scale.from && time <= endOf(scale);

/** Pixels that a label takes. */
const LABEL = 48;
const STEPS = [1, 3, 6, 12] as const;
const DAYS = [1, 2, 4, 7] as const;

/** Full hours of the viewer's day, or days, as close as their labels allow. Pure but for the zone of the clock. */
export function ticksOf(scale: TimeScale): { time: number; isMidnight: boolean }[] {
  const perHour = scale.width / scale.hours;
  const step = STEPS.find((hours) => hours * perHour >= LABEL);
  const days = DAYS.find((count) => count * 24 * perHour >= LABEL) ?? 7;
  let midnights = 0;
  return Array.from({ length: scale.hours + 1 }, (_, at) => scale.from + at * HOUR_MS).flatMap((time) => {
    const hour = new Date(time).getHours();
    if (hour === 0) midnights += 1;
    const isOn = step === undefined ? hour === 0 && (midnights - 1) % days === 0 : hour % step === 0;
    return isOn ? [{ time, isMidnight: hour === 0 }] : [];
  });
}

/** A time as the address writes it. */
export const isoOf = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z");
