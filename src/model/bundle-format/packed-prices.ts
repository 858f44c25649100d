/**
 * A machine type of the catalog: name, vCPUs, GiB, prices by column of the place, architecture, class, family; types with GPUs have
 * their number at the end. The bundle's data holds the prices as one text.
 */
export type TypeRow<P> = [string, number, number, P, string, string, string, number?];

/** Characters of one price, including a space at its end; data.landfall.prices has the same. */
const WIDTH = 9;
const DECIMALS = [6, 5, 4, 3, 2, 1, 0];

/** With as many decimals as fit. */
function written(price: number | null): string {
  if (price === null) return "null";
  for (const decimals of DECIMALS) {
    const text = String(Number(price.toFixed(decimals)));
    if (text.length < WIDTH) return text;
  }
  return "null";
}

/**
 * USD per hour by column (null: not published, -1: not offered), with a fixed width: a text takes a twentieth of the
 * memory of a list in OPA's WASM, where every element has 180 bytes.
 */
export const packPrices = (prices: readonly (number | null)[]): string =>
  prices.map((price) => written(price).padEnd(WIDTH)).join("");

/** Prices of one type in a bundle; earlier bundles have lists. */
export type Prices = string | readonly (number | null)[];

/** The price in a column; null if it is not published, or the column does not exist. */
export function priceIn(prices: Prices, column: number): number | null {
  if (typeof prices !== "string") return prices[column] ?? null;
  const text = prices.slice(column * WIDTH, (column + 1) * WIDTH).trim();
  const price = Number(text);
  return text === "" || Number.isNaN(price) ? null : price;
}
