import type { LandfallError } from "../../errors.ts";

/** The prices of one region, as its provider publishes them. */
export interface RegionPrices {
  /** When they were published, or fetched if the provider does not say: YYYY-MM-DD. */
  date: string;
  /** Machine type -> USD per hour, on demand, Linux. */
  prices: ReadonlyMap<string, number>;
}

/** A provider's price list: of each region that was asked for, its prices or why there are none. */
export interface PriceList {
  provider: string;
  regions: ReadonlyMap<string, RegionPrices | LandfallError>;
}

/** The facts of a machine type that a price can be computed from. */
export interface PricedType {
  vcpus: number;
  memoryGiB: number;
  gpus?: number;
}
