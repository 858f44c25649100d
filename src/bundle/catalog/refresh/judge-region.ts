import { LandfallError } from "../../../errors.ts";
import type { RegionPrices } from "../../../model/places/price-list.ts";
import type { ProviderTypes } from "../catalog-files.ts";
import { isOffered } from "../is-offered.ts";

/** At least so many of the types that are known in a place need a price: else a part of the list is missing. */
const FEWEST = 0.5;
/** The median of new prices relative to the earlier ones: prices of all types never change so much at once. */
const CHANGE = { least: 0.5, most: 2 } as const;

/** A price list's content for a region, compared with what the catalog has. */
export interface Judged {
  /** Types that the catalog has in the region. */
  known: number;
  /** Those of them with a price in the list. */
  listed: number;
  /** Median of new prices relative to the earlier ones; null if there are none to compare. */
  factor: number | null;
  /** Why the list is not used; null if it is. */
  fault: LandfallError | null;
}

export interface Region {
  /** Its column in the prices of the provider's types. */
  column: number;
  table: ProviderTypes;
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

function faultOf({ known, listed, factor }: Omit<Judged, "fault">, compared: number): LandfallError | null {
  if (listed < known * FEWEST) return new LandfallError("PRICES_FEW", { known: listed, types: known });
  if (factor === null || (factor >= CHANGE.least && factor <= CHANGE.most)) return null;
  return new LandfallError("PRICES_JUMP", { factor: factor.toPrecision(3), types: compared, ...CHANGE });
}

/**
 * Compares the list of a region with the catalog. In a region without known types, those of the list count that the provider has
 * elsewhere; there may be none of them. Pure.
 */
export function judgeRegion({ column, table }: Region, { prices }: RegionPrices): Judged {
  const all = Object.entries(table.types);
  const here = all.filter(([, type]) => isOffered(type, column));
  const known = here.length === 0 ? all.filter(([name]) => prices.has(name)) : here;
  const listed = known.filter(([name]) => prices.has(name));
  const changes = listed.flatMap(([name, type]) => {
    const earlier = type.prices[column] ?? -1;
    return earlier > 0 ? [(prices.get(name) ?? 0) / earlier] : [];
  });
  const figures = { known: known.length, listed: listed.length, factor: median(changes) };
  return { ...figures, fault: faultOf(figures, changes.length) };
}
