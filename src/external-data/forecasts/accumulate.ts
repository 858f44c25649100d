import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import type { MeasuredFile } from "./measured-file.ts";
import type { Supplied, Supplier } from "./supplier.ts";

type Hours = Map<number, number>;

export interface Kept {
  /** Name of the source. */
  source: string;
  /** Hours of each zone. */
  most: number;
  /** Ms since 1970. */
  nowMs: () => number;
}

/** Measured hours up to the newest one, without gaps. */
function tailOf(hours: ReadonlyMap<number, number>): ZoneForecast {
  const newest = Math.max(...hours.keys());
  let start = newest;
  while (hours.has(start - HOUR_SECONDS)) start -= HOUR_SECONDS;
  const values: number[] = [];
  for (let time = start; time <= newest; time += HOUR_SECONDS) values.push(hours.get(time) ?? 0);
  return { issuedAt: newest + HOUR_SECONDS, start, stepSeconds: HOUR_SECONDS, values, band: null };
}

/** Values by full hour: finer ones are averaged if the hour is complete; a coarser one applies to its own hour. */
function hourly({ start, stepSeconds, values }: ZoneForecast): [time: number, value: number][] {
  const steps = HOUR_SECONDS / stepSeconds;
  if (steps <= 1) return values.map((value, index) => [start + index * stepSeconds, value]);
  const first = Math.ceil(start / HOUR_SECONDS) * HOUR_SECONDS;
  const skipped = (first - start) / stepSeconds;
  if (!Number.isInteger(steps) || !Number.isInteger(skipped)) return [];
  const found: [number, number][] = [];
  for (let from = skipped; from + steps <= values.length; from += steps) {
    const mean = values.slice(from, from + steps).reduce((sum, value) => sum + value, 0) / steps;
    found.push([start + from * stepSeconds, mean]);
  }
  return found;
}

/** How far ahead of this machine's clock a measured hour may be. */
const AHEAD_SECONDS = HOUR_SECONDS;

/** An hour after now was not measured. As the newest hour, it would make all others too old. */
function take(hours: Hours, figures: ZoneForecast, { most, nowMs }: Kept): void {
  const last = nowMs() / 1000 + AHEAD_SECONDS;
  for (const [time, value] of hourly(figures)) if (time <= last) hours.set(time, value);
  if (hours.size === 0) return;
  const oldest = Math.max(...hours.keys()) - most * HOUR_SECONDS;
  for (const time of hours.keys()) if (time <= oldest) hours.delete(time);
}

const ofFuture = (source: string, zone: string): LandfallError =>
  new LandfallError("FORECAST_IMPLAUSIBLE", { source, zone, detail: "it has no measured hour before now" });

/**
 * Accumulates the measured hours of one source, because most services return only one day; with a file, also across
 * restarts. Returns the hours of each zone without gaps up to the newest, at most `most` of them and none of the future.
 */
export function accumulate(supplier: Supplier, kept: Kept, file: MeasuredFile | null): Supplier {
  const known = new Map<string, Hours>();
  let remembered: Promise<void> | null = null;

  const hoursOf = (zone: string): Hours => {
    const hours = known.get(zone) ?? new Map<number, number>();
    known.set(zone, hours);
    return hours;
  };

  async function remember(): Promise<void> {
    for (const [zone, hours] of (await file?.read()) ?? []) take(hoursOf(zone), hours, kept);
  }

  async function keep(): Promise<void> {
    const zones = [...known].filter(([, hours]) => hours.size > 0);
    // Without a writable disk, the hours are kept as long as the process runs.
    await file?.write(new Map(zones.map(([zone, hours]) => [zone, tailOf(hours)]))).catch(() => undefined);
  }

  return {
    supply: async (zones) => {
      await (remembered ??= remember());
      const supplied: Supplied = new Map<string, ZoneForecast | LandfallError>();
      for (const [zone, answer] of await supplier.supply(zones)) {
        const hours = hoursOf(zone);
        if (!(answer instanceof Error)) take(hours, answer, kept);
        if (hours.size > 0) supplied.set(zone, tailOf(hours));
        else supplied.set(zone, answer instanceof Error ? answer : ofFuture(kept.source, zone));
      }
      await keep();
      return supplied;
    },
    close: () => supplier.close(),
  };
}
