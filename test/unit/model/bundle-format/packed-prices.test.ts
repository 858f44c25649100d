import { describe, expect, it } from "vitest";
import { packPrices, priceIn } from "../../../../src/model/bundle-format/packed-prices.ts";

const unpacked = (text: string): (number | null)[] =>
  Array.from({ length: text.length / 9 }, (_, column) => priceIn(text, column));

describe("prices as text", () => {
  it("are reversible, in nine characters each", () => {
    const prices = [0.0198, -1, null, 361, 12.345678, 0.5, 98.32];
    expect(packPrices(prices.slice(0, 3))).toBe("0.0198   -1       null     ");
    expect(packPrices(prices)).toHaveLength(9 * prices.length);
    expect(unpacked(packPrices(prices))).toEqual([0.0198, -1, null, 361, 12.34568, 0.5, 98.32]);
    expect(unpacked("")).toEqual([]);
  });

  it("drop decimals that do not fit", () => {
    expect(unpacked(packPrices([1234.56789, 0.1234567, 12_345_678.9]))).toEqual([1234.568, 0.123457, 12_345_679]);
  });

  it("are unknown in a column that does not exist", () => {
    for (const prices of ["0.5      ", [0.5]])
      expect([-1, 0, 1].map((at) => priceIn(prices, at))).toEqual([null, 0.5, null]);
  });

  it("are unknown if they are not numbers", () => {
    expect(unpacked("0.5      soon     1        ")).toEqual([0.5, null, 1]);
  });
});
