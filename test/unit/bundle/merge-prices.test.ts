import { describe, expect, it } from "vitest";
import type { CatalogType, InstanceTypesFile } from "../../../src/bundle/catalog/catalog-files.ts";
import { checkCatalog } from "../../../src/bundle/catalog/check-catalog.ts";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import { keepOutliers } from "../../../src/cli/commands/catalog/refresh/refresh-prices.ts";
import { mergePrices } from "../../../src/bundle/catalog/refresh/merge-prices.ts";
import { omitted } from "../../../src/bundle/catalog/sanity/read-omitted.ts";
import { LandfallError } from "../../../src/errors.ts";
import type { PriceList, RegionPrices } from "../../../src/model/places/price-list.ts";
import { CATALOG } from "../../support/bundles/built-bundle.ts";

const REGIONS = ["a", "b", "c", "d", "e"];
const SIZES = [2, 4, 8, 16];
const name = (vcpus: number): string => `Standard_D${String(vcpus)}s_v9`;
const type = (vcpus: number, prices: (number | null)[]): CatalogType => ({
  ...{ family: "general", class: "standard", arch: "amd64", vcpus, memoryGiB: 4 * vcpus, reference: null, prices },
});
/** 0.05 USD per vCPU in all regions but `e`, which has no types. */
const file: InstanceTypesFile = {
  about: "",
  dates: { "types and prices of Azure": "2026-06", "prices of AWS": "2025-03" },
  providers: {
    azure: {
      regions: REGIONS,
      priceDates: REGIONS.map(() => "2026-06"),
      types: Object.fromEntries(
        SIZES.map((vcpus) => [
          name(vcpus),
          type(
            vcpus,
            REGIONS.map((region) => (region === "e" ? -1 : 0.05 * vcpus)),
          ),
        ]),
      ),
    },
  },
};

/** The same price per vCPU for these sizes. */
const at = (perVcpu: number, sizes = SIZES): RegionPrices => ({
  date: "2026-11-22",
  prices: new Map(sizes.map((vcpus) => [name(vcpus), perVcpu * vcpus])),
});
const list = (regions: Record<string, RegionPrices | LandfallError>): PriceList => ({
  provider: "azure",
  regions: new Map(Object.entries(regions)),
});
const merge = (regions: Record<string, RegionPrices | LandfallError>) => {
  const merged = mergePrices(file, [list(regions)]);
  const { types, priceDates = [] } = merged.instanceTypes.providers["azure"] ?? { regions: [], types: {} };
  const prices = (column: number) => SIZES.map((vcpus) => types[name(vcpus)]?.prices[column]);
  const kept = Object.fromEntries(merged.places.map((place) => [place.place, place.kept?.code ?? "new"]));
  return { ...merged, prices, priceDates, kept };
};

describe("mergePrices", () => {
  it("offers nothing on Google Cloud where no zone has the type, although Google's list has a price there", () => {
    const gcp = {
      regions: ["europe-west1", "europe-north2"],
      types: { "e2-standard-2": type(2, [0.1, 0.1]), "n1-standard-2": type(2, [0.1, -1]) },
    };
    const prices = new Map([
      ["e2-standard-2", 0.11],
      ["n1-standard-2", 0.12],
    ]);
    const listed = new Map(gcp.regions.map((region) => [region, { date: "2026-11-22", prices }]));
    const merged = mergePrices({ ...file, providers: { gcp } }, [{ provider: "gcp", regions: listed }]);
    expect(Object.values(merged.instanceTypes.providers["gcp"]?.types ?? {}).map((one) => one.prices)).toEqual([
      [0.11, 0.11],
      [0.12, -1],
    ]);
    expect(merged.places.map(({ listed: found, added }) => [found, added])).toEqual([
      [2, 0],
      [1, 0],
    ]);
  });

  it("takes the prices of a region with their date, and leaves the regions that were not asked for", () => {
    const { prices, priceDates, places, instanceTypes } = merge({ b: at(0.06) });
    expect(prices(1)).toEqual([0.12, 0.24, 0.48, 0.96]);
    expect(prices(0)).toEqual([0.1, 0.2, 0.4, 0.8]);
    expect(priceDates).toEqual(["2026-06", "2026-11-22", "2026-06", "2026-06", "2026-06"]);
    expect(places).toEqual([
      { place: "azure/b", date: "2026-11-22", known: 4, listed: 4, added: 0, factor: 1.2, kept: null },
    ]);
    expect(instanceTypes.dates).toEqual({
      "types and prices of Azure": "types 2026-06, prices 2026-06 (b: 2026-11-22)",
      "prices of AWS": "2025-03",
    });
  });

  it("has no price for a type that the list lacks, and does not offer what was never offered", () => {
    expect(merge({ b: at(0.05, [2, 4]) }).prices(1)).toEqual([0.1, 0.2, null, null]);
    expect(merge({ e: at(0.05, [2, 4]) }).prices(4)).toEqual([0.1, 0.2, -1, -1]);
  });

  it("fills a region of which no type was known", () => {
    const { places, prices } = merge({ e: at(0.05) });
    expect(prices(4)).toEqual([0.1, 0.2, 0.4, 0.8]);
    expect(places).toMatchObject([{ known: 0, listed: 4, added: 4, factor: null, kept: null }]);
  });

  it("leaves a region alone of which neither the catalog nor the list has a type", () => {
    expect(merge({ e: at(0.05, []) }).places).toMatchObject([
      { place: "azure/e", date: "2026-06", known: 0, listed: 0, kept: null },
    ]);
  });

  it.each<[string, RegionPrices, string, string]>([
    ["fewer than half of the known types", at(0.05, [2]), "PRICES_FEW", "the list has prices of 1 of the 4 types"],
    ["no type at all", at(0.05, []), "PRICES_FEW", "the list has prices of 0 of the 4 types"],
    ["prices per month", at(36.5), "PRICES_JUMP", "its prices are 730 times the earlier ones (median of 4 types)"],
    ["prices in another currency", at(0.024), "PRICES_JUMP", "its prices are 0.480 times the earlier ones"],
    ["prices a little more than doubled", at(0.101), "PRICES_JUMP", "its prices are 2.02 times the earlier ones"],
  ])("keeps a region whose list has %s, and says why", (_, prices, code, text) => {
    const merged = merge({ b: prices, c: at(0.055) });
    expect(merged.kept).toEqual({ "azure/b": code, "azure/c": "new" });
    expect(merged.places[0]?.kept?.message).toContain(text);
    expect(merged.prices(1)).toEqual([0.1, 0.2, 0.4, 0.8]);
    expect(merged.places[0]?.date).toBe("2026-06");
    expect(merged.priceDates[1]).toBe("2026-06");
  });

  it.each([
    ["half of the types", at(0.05, [2, 4])],
    ["prices that halved", at(0.025)],
    ["prices that doubled", at(0.1)],
  ])("takes a region whose list has %s", (_, prices) => {
    expect(merge({ b: prices }).kept).toEqual({ "azure/b": "new" });
  });

  it("keeps a region whose list could not be read, with the error", () => {
    const error = new LandfallError("PRICES_CUT", { source: "the price list of Azure", detail: "terminated" });
    expect(merge({ b: error, c: at(0.05) }).places).toMatchObject([{ place: "azure/b", kept: error }, { kept: null }]);
  });

  it("omits a price that cannot be true by the rules of `catalog check`", () => {
    const odd = at(0.05);
    const prices = new Map([...odd.prices, [name(8), 0.04]]);
    const merged = merge({ b: { ...odd, prices } });
    expect(merged.prices(1)).toEqual([0.1, 0.2, null, 0.8]);
    expect(omitted(merged.outliers)).toEqual([
      { rule: "elsewhere", provider: "azure", region: "b", type: name(8), price: 0.04, expected: 0.4 },
    ]);
  });

  it("omits no price of a place that keeps its prices, even if the new ones make it look wrong", () => {
    const high = Object.fromEntries(["a", "b", "c"].map((region) => [region, at(0.09)]));
    const kept = merge({ ...high, d: at(0.05, [2]) });
    expect(kept.prices(3)).toEqual([0.1, 0.2, 0.4, 0.8]);
    expect(omitted(kept.outliers)).toEqual([]);
  });

  it("says the date of most places first, and counts the others where they are many", () => {
    const { instanceTypes } = merge({ a: at(0.05), b: at(0.05), c: at(0.05) });
    const datesOf = ({ dates }: InstanceTypesFile): string | undefined => dates["types and prices of Azure"];
    expect(datesOf(instanceTypes)).toBe("types 2026-06, prices 2026-11-22 (d: 2026-06)");
    const again = mergePrices(instanceTypes, [list({ d: at(0.05) })]);
    expect(datesOf(again.instanceTypes)).toBe("types 2026-06, prices 2026-11-22");
    expect(datesOf(mergePrices(file, [list({})]).instanceTypes)).toBe("types 2026-06, prices 2026-06");
    const many = mergePrices({ ...file, dates: {} }, [list({ e: at(0.05), a: { ...at(0.05), date: "2026-11-23" } })]);
    expect(datesOf(many.instanceTypes)).toBe("types unknown, prices 2026-06 (a: 2026-11-23; e: 2026-11-22)");
  });

  it("keeps the earlier outliers of places that were not renewed", () => {
    const outliers = { azure: { series: { a: { x: [1, 2] }, b: { x: [3, 4] } } } } satisfies Parameters<
      typeof keepOutliers
    >[0]["outliers"];
    const found = { about: "", dates: {}, outliers: { azure: { elsewhere: { b: { y: [5, 6] } } } } };
    const earlier = { about: "", dates: {}, outliers } as unknown as Parameters<typeof keepOutliers>[0];
    expect(keepOutliers(earlier, found as unknown as typeof earlier, new Set(["azure/b"])).outliers).toEqual({
      azure: { series: { a: { x: [1, 2] } }, elsewhere: { b: { y: [5, 6] } } },
    });
  });

  it("leaves the committed catalog as it is if the lists say the same, and passes its schema", async () => {
    const files = await readCatalog(CATALOG);
    const lists = Object.entries(files.instanceTypes.providers).map(([provider, { regions, types }]): PriceList => {
      const priced = regions.map((region, column) => {
        const prices = Object.entries(types).flatMap(([one, { prices: all }]) => {
          const usd = all[column] ?? -1;
          return usd > 0 ? [[one, usd] as const] : [];
        });
        return [region, { date: "2026-11-22", prices: new Map(prices) }] as const;
      });
      return { provider, regions: new Map(priced) };
    });
    const { instanceTypes, outliers, places } = mergePrices(files.instanceTypes, lists);
    for (const [provider, { types }] of Object.entries(instanceTypes.providers))
      expect(types, provider).toEqual(files.instanceTypes.providers[provider]?.types);
    expect(omitted(outliers)).toEqual([]);
    expect(places.filter(({ factor }) => factor !== null && factor !== 1)).toEqual([]);
    checkCatalog({ ...files, instanceTypes }, "refreshed");
  });
});
