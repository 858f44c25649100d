import { LandfallError } from "../../../errors.ts";
import type { CarbonProfile } from "../../../model/places/catalog.ts";
import { formatTime, HOUR_SECONDS, WEEK_HOURS } from "../../../model/time.ts";
import type { CarbonFile } from "../catalog-files.ts";
import { monthlySums, MONTHS, type Sums } from "../monthly-sums.ts";
import { oddIntensities } from "../sanity/odd-intensities.ts";
import { datesText } from "./dates-text.ts";

/** Weights of the same hour of the week one month earlier or later, and of the same hour of the day before and after. */
const NEXT_MONTH = 0.25;
const NEXT_DAY = 0.5;

/**
 * Mean of an hour of the week in a month, with its neighbours: a month has but four or five of each. The weights are those with
 * the least error on weeks that were omitted (bench/climatology.ts).
 */
export function monthlyHours(cells: readonly (readonly Sums[])[]): number[][] {
  const at = (month: number, hour: number): Sums => cells[(month + MONTHS) % MONTHS]?.[(hour + WEEK_HOURS) % WEEK_HOURS] ?? { sum: 0, weight: 0 };
  const near = [-1, 0, 1].flatMap((month) =>
    [-1, 0, 1].map((day) => ({ month, hours: day * 24, counts: (month === 0 ? 1 : NEXT_MONTH) * (day === 0 ? 1 : NEXT_DAY) })),
  );
  const smooth = (month: number, hour: number): number => {
    const parts = near.map((one) => ({ ...at(month + one.month, hour + one.hours), counts: one.counts }));
    const total = (of: "sum" | "weight"): number => parts.reduce((sum, part) => sum + part.counts * part[of], 0);
    return total("sum") / total("weight");
  };
  return Array.from({ length: MONTHS }, (_, month) => Array.from({ length: WEEK_HOURS }, (_, hour) => smooth(month, hour)));
}

/** Of a year's hours: less would make profiles of one season. */
const FEWEST_HOURS = 8400;
/** The new mean relative to the earlier one: grids change more slowly. */
const CHANGE = { least: 0.25, most: 4 } as const;

/** Measured hours of a zone without gaps. */
export interface MeasuredZone {
  zone: string;
  /** Name of the source. */
  source: string;
  /** gCO2eq/kWh by hour, from `start` (seconds since 1970) on; or why there are none. */
  hours: { start: number; values: readonly number[] } | LandfallError;
}

/** The result for one zone's profile. */
export interface RefreshedZone {
  zone: string;
  /** Measured hours. */
  hours: number;
  /** Mean of the zone's profile now, and before; gCO2eq/kWh, null if there is none. */
  yearly: number | null;
  before: number | null;
  /** Why the zone keeps its earlier profile; null if it does not. */
  kept: LandfallError | null;
}

function profileOf({ source, hours }: MeasuredZone): CarbonProfile | LandfallError {
  if (hours instanceof LandfallError) return hours;
  const { start, values } = hours;
  if (values.length < FEWEST_HOURS)
    return new LandfallError("CATALOG_HOURS", { hours: values.length, needed: FEWEST_HOURS });
  const day = formatTime(start + values.length * HOUR_SECONDS - 1).slice(0, 10);
  return {
    yearly: Math.round(values.reduce((sum, value) => sum + value, 0) / values.length),
    hourOfWeek: monthlyHours(monthlySums(values, start)).map((week) => week.map(Math.round)),
    source: `${source}, hourly series of a year, to ${day}`,
  };
}

function faultOf(zone: string, profile: CarbonProfile, before: number | null): LandfallError | null {
  const { yearly } = profile;
  const [odd] = oddIntensities({ zones: { [zone]: profile } });
  if (odd !== undefined) return new LandfallError("CATALOG_INTENSITY", { yearly, detail: odd.detail });
  const factor = before === null ? 1 : yearly / before;
  if (factor >= CHANGE.least && factor <= CHANGE.most) return null;
  const detail = `is ${factor.toPrecision(3)} times the earlier one, outside ${String(CHANGE.least)} to ${String(CHANGE.most)}`;
  return new LandfallError("CATALOG_INTENSITY", { yearly, detail });
}

/** The year or day at the end of a profile's source. */
const dateOf = ({ source }: CarbonProfile): string => /\d{4}(?:-\d{2}-\d{2})?$/.exec(source)?.[0] ?? "unknown";

/** The carbon profiles with those of measured hours, where these are of a year and can be true. Pure. */
export function mergeCarbon(
  file: CarbonFile,
  measured: readonly MeasuredZone[],
): { carbon: CarbonFile; zones: RefreshedZone[] } {
  const profiles = { ...file.zones };
  const zones = measured.map((one): RefreshedZone => {
    const { zone, hours } = one;
    const before = file.zones[zone]?.yearly ?? null;
    const result = { zone, hours: hours instanceof LandfallError ? 0 : hours.values.length, before };
    const profile = profileOf(one);
    const kept = profile instanceof LandfallError ? profile : faultOf(zone, profile, before);
    if (profile instanceof LandfallError || kept !== null) return { ...result, yearly: before, kept };
    profiles[zone] = profile;
    return { ...result, yearly: profile.yearly, kept };
  });
  const byHour = Object.entries(profiles).filter(([, { hourOfWeek }]) => hourOfWeek !== null);
  const dates = datesText(byHour.map(([name, profile]) => ({ name, date: dateOf(profile) })));
  const carbon = {
    ...file,
    dates: { ...file.dates, "carbon profiles": dates },
    unknown: file.unknown.filter((zone) => profiles[zone] === undefined),
    zones: Object.fromEntries(Object.entries(profiles).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  return { carbon, zones };
}
