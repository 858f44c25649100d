import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type {
  CarbonFile,
  CatalogType,
  InstanceTypesFile,
  OutliersFile,
} from "../../../src/bundle/catalog/catalog-files.ts";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import { coverage } from "../../../src/bundle/catalog/sanity/coverage.ts";
import { findOutliers, seriesOf } from "../../../src/bundle/catalog/sanity/find-outliers.ts";
import { omitOutliers } from "../../../src/bundle/catalog/sanity/omit-outliers.ts";
import { omitted } from "../../../src/bundle/catalog/sanity/read-omitted.ts";
import { oddIntensities } from "../../../src/bundle/catalog/sanity/odd-intensities.ts";
import { CATALOG } from "../../support/bundles/built-bundle.ts";

const files = await readCatalog(CATALOG);
const list = JSON.parse(readFileSync(`${CATALOG}/outliers.json`, "utf8")) as OutliersFile;

const REGIONS = ["a", "b", "c", "d", "e", "f"];
const machine = (vcpus: number, prices: (number | null)[], more: Partial<CatalogType> = {}): CatalogType => ({
  ...{
    family: "general",
    class: "standard",
    arch: "amd64",
    vcpus,
    memoryGiB: vcpus * 4,
    reference: null,
    prices,
    ...more,
  },
});
const table = (types: Record<string, CatalogType>): Pick<InstanceTypesFile, "providers"> => ({
  providers: { azure: { regions: REGIONS, types } },
});
/** 0.05 USD per vCPU everywhere. */
const even = (vcpus: number): number[] => REGIONS.map(() => 0.05 * vcpus);
const found = (types: Record<string, CatalogType>) =>
  findOutliers(table(types)).map(({ rule, type, region, price, expected }) => [rule, type, region, price, expected]);

describe("the committed catalog", () => {
  it("has no price and no intensity that cannot be true", () => {
    expect(findOutliers(files.instanceTypes)).toEqual([]);
    expect(oddIntensities(files.carbon)).toEqual([]);
  });

  it("omitted Azure's newzealandnorth F*ams_v6 at a tenth of its price, and Windows prices of the AMD series", () => {
    const out = omitted(list);
    const { regions, types } = files.instanceTypes.providers["azure"] ?? { regions: [], types: {} };
    const far = out.filter(({ region, rule }) => region === "newzealandnorth" && rule === "elsewhere");
    expect(far.map(({ type }) => seriesOf("azure", type))).toEqual(
      Array.from({ length: 7 }, () => "Standard_F#ams_v6"),
    );
    expect(types["Standard_F4ams_v6"]?.prices[regions.indexOf("newzealandnorth")]).toBeNull();
    // 0.089 is 0.043 for the machine and 0.046 for the licence, per vCPU.
    expect(out).toContainEqual(expect.objectContaining({ type: "Standard_D2as_v5", region: "eastus", price: 0.178 }));
    expect(types["Standard_D2as_v5"]?.prices[regions.indexOf("eastus2")]).toBe(0.086);
  });

  it("keeps what is really cheap: machines with AMD processors cost half as much in India, at three providers", () => {
    const prices = (provider: string, type: string, region: string) => {
      const { regions, types } = files.instanceTypes.providers[provider] ?? { regions: [], types: {} };
      return types[type]?.prices[regions.indexOf(region)];
    };
    expect(prices("azure", "Standard_D2as_v5", "centralindia")).toBe(0.0556);
    expect(prices("aws", "m5a.xlarge", "ap-south-1")).toBeGreaterThan(0);
    expect(prices("gcp", "n2d-standard-4", "asia-south1")).toBeGreaterThan(0);
  });

  it("says how much of each provider is known", () => {
    const byProvider = new Map(coverage(files).map((row) => [row.provider, row]));
    expect(byProvider.get("gcp")).toMatchObject({ places: 43, empty: ["asia-southeast3"], offers: 5167, priced: 5167 });
    expect(byProvider.get("elemento")).toMatchObject({ places: 26, offers: 130, priced: 0 });
    const azure = byProvider.get("azure");
    expect((azure?.offers ?? 0) - (azure?.priced ?? 0)).toBe(omitted(list).length);
    expect(azure?.carbon).toEqual({ hourly: 50, yearly: 8, unknown: 0 });
  });
});

describe("findOutliers", () => {
  it.each([
    ["a tenth of the price elsewhere", [0.1, 0.1, 0.1, 0.1, 0.1, 0.01], ["elsewhere", "Standard_D2s", "f", 0.01, 0.1]],
    ["four times the price elsewhere", [0.1, 0.1, 0.4, 0.1, 0.1, 0.1], ["elsewhere", "Standard_D2s", "c", 0.4, 0.1]],
    ["a tenth, at four places", [0.1, 0.01, 0.1, 0.1, -1, -1], ["elsewhere", "Standard_D2s", "b", 0.01, 0.1]],
    ["a price per month", [0.1, 73, 0.1, 0.1, 0.1, 0.1], ["unit", "Standard_D2s", "b", 73, null]],
    ["zero", [0, 0.1, 0.1, 0.1, 0.1, 0.1], ["unit", "Standard_D2s", "a", 0, null]],
    ["a negative price", [0.1, 0.1, 0.1, -0.2, 0.1, 0.1], ["unit", "Standard_D2s", "d", -0.2, null]],
  ])("finds %s", (_, prices, outlier) => {
    expect(found({ Standard_D2s: machine(2, prices) })).toEqual([outlier]);
  });

  it("finds a licence in the price of some sizes, also if most of a place's sizes have it", () => {
    const licensed = 0.05 + 0.046;
    const types = {
      Standard_D2s: machine(2, even(2)),
      Standard_D4s: machine(4, even(4).with(1, 4 * licensed)),
      Standard_D8s: machine(8, even(8).with(1, 8 * licensed)),
    };
    expect(found(types).map(([rule, type, region]) => [rule, type, region])).toEqual([
      ["series", "Standard_D4s", "b"],
      ["series", "Standard_D8s", "b"],
    ]);
  });

  it("compares a type that few places offer with its family", () => {
    const rare = REGIONS.map((region) => (region === "a" ? 0.02 : -1));
    const series = ["D", "E", "F", "G", "H"].map((name) => [`Standard_${name}4s`, machine(4, even(4))] as const);
    expect(found({ ...Object.fromEntries(series), Standard_X4s: machine(4, rare) })).toEqual([
      ["family", "Standard_X4s", "a", 0.02, 0.2],
    ]);
  });

  it("accepts differences between regions, unknown prices, and a GPU type's price per vCPU", () => {
    expect(found({ Standard_D2s: machine(2, [0.06, 0.1, 0.1, 0.17, null, -1]) })).toEqual([]);
    expect(found({ Standard_NC2: machine(2, even(200), { family: "gpu", gpus: 1 }) })).toEqual([]);
  });

  it("finds what a first outlier hid", () => {
    const { instanceTypes, outliers } = omitOutliers({
      ...files.instanceTypes,
      ...table({ Standard_D2s: machine(2, [0.001, 0.0011, 0.1, 0.1, 0.1, 0.1]) }),
    });
    expect(findOutliers(instanceTypes)).toEqual([]);
    expect(
      omitted(outliers)
        .map(({ region }) => region)
        .sort(),
    ).toEqual(["a", "b"]);
  });
});

describe("oddIntensities", () => {
  const zone = (yearly: number, hour: number | null): Pick<CarbonFile, "zones"> => {
    const hourOfWeek = hour === null ? null : Array.from({ length: 168 }, () => hour);
    return { zones: { XX: { yearly, hourOfWeek, source: "test" } } };
  };
  it.each([
    ["kilograms", zone(0.3, null), "is not within 5 to 1300 gCO2eq/kWh"],
    ["gCO2eq/MWh", zone(300_000, null), "is not within 5 to 1300 gCO2eq/kWh"],
    ["hours that contradict the year", zone(300, 30), "does not agree with its hours, whose mean is 30.0"],
  ])("finds %s", (_, file, detail) => {
    expect(oddIntensities(file)).toMatchObject([{ zone: "XX", detail }]);
  });
  it("accepts a clean and a dirty grid", () => {
    expect([...oddIntensities(zone(20, 21)), ...oddIntensities(zone(900, null))]).toEqual([]);
  });
});
