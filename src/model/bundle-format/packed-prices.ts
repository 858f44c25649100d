/** Characters of one price, a space at its end included; data.landfall.prices has the same. */
const WIDTH = 9;
const DECIMALS = [6, 5, 4, 3, 2, 1, 0];

/** With as many decimals as there is room for. */
function written(price: number | null): string {
  if (price === null) return "null";
  for (const decimals of DECIMALS) {
    const text = String(Number(price.toFixed(decimals)));
    if (text.length < WIDTH) return text;
  }
  return "null";
}

/**
 * USD per hour by column (null: not published, -1: not offered), each in as many characters as the next: a text takes a
 * twentieth of the room of a list in the memory of OPA's WASM, where every element has 180 bytes.
 */
export const packPrices = (prices: readonly (number | null)[]): string =>
  prices.map((price) => written(price).padEnd(WIDTH)).join("");

/** Prices of one type as bundles have them; those of before have lists. */
export type Prices = string | readonly (number | null)[];

/** The price in a column; null where it is not published, and for a column that there is not. */
export function priceIn(prices: Prices, column: number): number | null {
  if (typeof prices !== "string") return prices[column] ?? null;
  const text = prices.slice(column * WIDTH, (column + 1) * WIDTH).trim();
  const price = Number(text);
  return text === "" || Number.isNaN(price) ? null : price;
}
