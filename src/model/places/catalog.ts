import type { PlaceKey } from "../workload.ts";
import { sha256 } from "../sha256.ts";

/** Mean carbon intensity of an electricity zone by month and hour of the week, from the hourly series of one year. */
export interface CarbonProfile {
  /** gCO2eq/kWh, life-cycle, of the whole year. */
  yearly: number;
  /**
   * 12 lists (January first) of 168 values in gCO2eq/kWh, Monday 00:00 UTC first, in a bundle packed by `packHours`; or one such
   * list for all months; null where only a yearly figure exists. Only placement reads it: policies do not get it.
   */
  hourOfWeek: number[][] | number[] | string | null;
  /** The source of the data, and its year. */
  source: string;
}

/** Figures by hour of the week: of each month, of a mean week of the whole year, or none. */
export type CarbonDetail = "month × hour of week" | "hour of week" | "yearly mean only";

/** A zone's climatology for placement, in compact form because a process keeps those of all zones. */
export interface CarbonTable {
  /** gCO2eq/kWh */
  yearly: number;
  /** Tenths of gCO2eq/kWh: 12 × 168 values (January first), 168 values (any month), or none. Each week begins on Monday 00:00 UTC. */
  tenths: Uint16Array;
  detail: CarbonDetail;
  source: string;
}

/** Watts of a running machine and overhead of its data centre; see catalog/power.json for the sources. */
export interface PowerModel {
  wattsPerVcpu: number;
  wattsPerGiB: number;
  /** Power usage effectiveness by provider; `default` if unknown. */
  pue: Record<string, number>;
}

/** `landfall.dev/optimize-for` -> `["carbon", "cost"]` */
export type SettingNames = Readonly<Record<string, readonly string[]>>;

/** The parts of the bundle's data that placement and the decision read; policies read more. */
export interface CatalogView {
  /** electricity zone -> climatology */
  carbon: Record<string, CarbonTable>;
  power: PowerModel;
  /** source name -> date, for the decision's `data` */
  dates: Record<string, string>;
  /** Every place and its electricity zone; null if unknown. */
  places: Record<PlaceKey, { electricityZone: string | null }>;
  /** By setting of a namespace the names that the bundle knows, for those that take names of it; omitted if it has them elsewhere. */
  settingNames?: SettingNames;
  /** Names of machine types by provider, for suggestions; omitted if the bundle has them elsewhere. */
  types?: Readonly<Record<string, readonly string[]>>;
  /** vCPU and GiB of a provider's machine type; null for one that the catalog does not have. */
  sizeOf?: (provider: string, type: string) => { vcpus: number; memoryGiB: number } | null;
}

/** The electricity zones of a catalog's places. */
export function fedZones({ places }: CatalogView): string[] {
  const zones = Object.values(places).flatMap(({ electricityZone }) =>
    electricityZone === null ? [] : [electricityZone],
  );
  return [...new Set(zones)].sort();
}

/** Identifies a list of places (16 hex digits): tables of a catalog are indexed by a place's position in it. */
export const placesHash = (keys: readonly string[]): string => sha256(keys.join("\n")).slice(0, 16);
