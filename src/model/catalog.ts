import type { PlaceKey } from "./workload.ts";

/** Mean carbon intensity of an electricity zone by hour of the week, from the hourly series of one year. */
export interface CarbonProfile {
  /** gCO2eq/kWh, life-cycle, of the whole year. */
  yearly: number;
  /** 168 values in gCO2eq/kWh, Monday 00:00 UTC first; null where only a yearly figure exists. */
  hourOfWeek: number[] | null;
  /** Where the figures come from, and their year. */
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
  /** electricity zone -> profile */
  carbon: Record<string, CarbonProfile>;
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
