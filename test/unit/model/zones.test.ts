import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import file from "../../../catalog/zones.json" with { type: "json" };
import { zonesOf } from "../../../src/model/places/zones.ts";
import type { CatalogPlace } from "../../../src/bundle/catalog/catalog-files.ts";

const { places } = JSON.parse(readFileSync("catalog/places.json", "utf8")) as { places: Record<string, CatalogPlace> };
const clusters = parse(readFileSync("policies/bundle/landfall/clusters/data.yaml", "utf8")) as {
  zones: { aws: { suffixes: string[]; regions: Record<string, string[]> }; azure: string[] };
};

const regionsOf = (name: string): string[] =>
  Object.values(places).flatMap(({ provider, region }) => (provider === name ? [region] : []));

describe("the zones of the catalog", () => {
  it("are those of known regions", () => {
    for (const [provider, { regions }] of Object.entries(file.zones))
      expect(regionsOf(provider)).toEqual(expect.arrayContaining(Object.keys(regions)));
  });

  it("include each place's own zone", () => {
    for (const [key, { provider, region, zone }] of Object.entries(places))
      if (zone !== null) expect([key, zonesOf(provider, region)]).toEqual([key, expect.arrayContaining([zone])]);
  });

  it("include those that clusters get on AWS", () => {
    const { suffixes, regions } = clusters.zones.aws;
    for (const region of regionsOf("aws"))
      expect(zonesOf("aws", region)).toEqual(
        expect.arrayContaining((regions[region] ?? suffixes).map((letter) => region + letter)),
      );
  });

  it("are in the regions of Azure that clusters take for those with zones", () => {
    const without = regionsOf("azure").filter((region) => zonesOf("azure", region)?.length === 0);
    expect(clusters.zones.azure.filter((region) => without.includes(region))).toEqual([]);
    // Two regions without types, which are never candidates, are not in the list for clusters.
    expect(without.length + clusters.zones.azure.length + 2).toBe(regionsOf("azure").length);
  });

  it("are unknown at a provider that the table does not name", () => {
    expect(zonesOf("elemento", "ovh-fr-paris")).toBeNull();
    expect(zonesOf("constructor", "x")).toBeNull();
  });
});
