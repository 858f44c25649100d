import type { PlaceKey } from "./workload.ts";
import { sha256 } from "./sha256.ts";

/** Mean carbon intensity of an electricity zone by month and hour of the week, from the hourly series of one year. */
export interface CarbonProfile {
  /** gCO2eq/kWh, life-cycle, of the whole year. */
  yearly: number;
  /**
   * 12 lists (January first) of 168 values in gCO2eq/kWh, Monday 00:00 UTC first, in a bundle packed by `packHours`; or one such
   * list for all months; null where only a yearly figure exists. Only placement reads it: policies do not get it.
   */
  hourOfWeek: number[][] | number[] | string | null;
  /** Where the figures come from, and their year. */
  source: string;
}

/** Figures by hour of the week: of each month, of a mean week of the whole year, or none. */
export type CarbonDetail = "month × hour of week" | "hour of week" | "yearly mean only";

/** A zone's climatology as placement reads it: small, because a process holds those of all zones. */
export interface CarbonTable {
  /** gCO2eq/kWh */
  yearly: number;
  /** Tenths of gCO2eq/kWh: 12 × 168 values (January first), 168 values (any month), or none. Each week begins on Monday 00:00 UTC. */
  tenths: Uint16Array;
  detail: CarbonDetail;
  source: string;
}

/** Watts of a running machine and overhead of its building; see catalog/power.json for the sources. */
export interface PowerModel {
  wattsPerVcpu: number;
  wattsPerGiB: number;
  /** Power usage effectiveness by provider, `default` where unknown. */
  pue: Record<string, number>;
}

/** What placement and the decision read of the bundle's data; the policies read more. */
export interface CatalogView {
  /** electricity zone -> climatology */
  carbon: Record<string, CarbonTable>;
  power: PowerModel;
  /** source name -> date, for the decision's `data` */
  dates: Record<string, string>;
  /** Every place and the electricity zone that feeds it; null where none is known. */
  places: Record<PlaceKey, { electricityZone: string | null }>;
}

/** The electricity zones that feed the places of a catalog. */
export function fedZones({ places }: CatalogView): string[] {
  const zones = Object.values(places).flatMap(({ electricityZone }) =>
    electricityZone === null ? [] : [electricityZone],
  );
  return [...new Set(zones)].sort();
}

/** What tells lists of places apart (16 hex digits): tables of a catalog are by a place's position in it. */
export const placesHash = (keys: readonly string[]): string => sha256(keys.join("\n")).slice(0, 16);
