/** Characters of one price, a space at its end included; data.landfall.prices has the same. */
const WIDTH = 9;
const DECIMALS = [6, 5, 4, 3, 2, 1, 0];

/** With as many decimals as there is room for. */
function written(price: number | null): string {
  if (price === null) return "null";
  const texts = DECIMALS.map((decimals) => String(Number(price.toFixed(decimals))));
  return texts.find((text) => text.length < WIDTH) ?? "null";
}

/**
 * USD per hour by column (null: not published, -1: not offered), each in as many characters as the next: a text takes a
 * twentieth of the room of a list in the memory of OPA's WASM, where every element has 180 bytes.
 */
export const packPrices = (prices: readonly (number | null)[]): string =>
  prices.map((price) => written(price).padEnd(WIDTH)).join("");

/** The prices of such a text; null for one that is none. */
export function unpackPrices(text: string): (number | null)[] {
  return Array.from({ length: text.length / WIDTH }, (_, column) => {
    const price = text.slice(column * WIDTH, (column + 1) * WIDTH).trim();
    return price === "null" || Number.isNaN(Number(price)) ? null : Number(price);
  });
}
