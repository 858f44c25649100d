import { packPrices } from "../../model/bundle-format/packed-prices.ts";
import type { ProviderTypes } from "./catalog-files.ts";

export interface PriceTables {
  /** provider -> by column the date of the prices; omitted for providers without. Only commands and decisions read it. */
  priceDates: Record<string, string[]>;
  /** Index in the bundle's types -> the spot prices by column as text; omitted if the catalog has none. */
  spot?: Record<string, string>;
}

interface Types {
  providers: Record<string, ProviderTypes>;
  /** provider -> type -> index in the bundle's types */
  typeIds: Record<string, Record<string, number>>;
}

function spotPrices({ providers, typeIds }: Types): Pick<PriceTables, "spot"> {
  const entries = Object.entries(typeIds).flatMap(([provider, ids]) =>
    Object.entries(ids).flatMap(([name, id]) => {
      const prices = providers[provider]?.types[name]?.spotPrices;
      return prices === undefined ? [] : [[String(id), packPrices(prices)] as const];
    }),
  );
  return entries.length === 0 ? {} : { spot: Object.fromEntries(entries) };
}

/** The tables about prices besides the types' own. Pure. */
export function priceTables(types: Types): PriceTables {
  const dated = Object.entries(types.providers).flatMap(([name, { priceDates }]) =>
    priceDates === undefined ? [] : [[name, priceDates] as const],
  );
  return { priceDates: Object.fromEntries(dated), ...spotPrices(types) };
}
