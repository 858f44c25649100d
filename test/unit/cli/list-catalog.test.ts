import { describe, expect, it } from "vitest";
import { type CatalogTables, catalogTables } from "../../../src/cli/commands/catalog/catalog-tables.ts";
import { listPlaces, type PlaceFilter } from "../../../src/cli/commands/catalog/list-places.ts";
import { listTypes, type TypeFilter } from "../../../src/cli/commands/catalog/list-types.ts";
import { packPrices } from "../../../src/model/bundle-format/packed-prices.ts";

const place = (key: `${string}/${string}`, country: string, column: number) => {
  const [provider = "", region = ""] = key.split("/");
  return { key, provider, region, country, electricityZone: country === "US" ? null : country, zone: null, column };
};

const TABLES: CatalogTables = {
  places: [place("azure/italynorth", "IT", 0), place("azure/eastus", "US", 1), place("aws/eu-west-3", "FR", 0)],
  residency: { areas: { EU: { IT: true, FR: true } }, countries: { IT: true, FR: true, US: true, ZW: true } },
  latency: {
    sources: [null, "local", "measured"],
    from: { "azure/italynorth": { ms: [1, null, 21], source: [1, 0, 2] } },
  },
  types: [
    ["D2", 2, 8, packPrices([0.2, 0.1]), "amd64", "standard", "general"],
    ["D4", 4, 16, packPrices([null, -1]), "arm64", "standard", "general"],
    ["m7.large", 2, 8, [0.15], "amd64", "standard", "general"],
    ["NC4", 4, 28, packPrices([-1, 0.5]), "amd64", "standard", "gpu", 1],
  ],
  typeIds: { azure: { D2: 0, D4: 1 }, aws: { "m7.large": 2 } },
  gpuIds: { azure: { NC4: 3 } },
  priceDates: { azure: ["2026-06", "2026-11-22"] },
  carbon: { IT: { yearly: 375 }, FR: { yearly: 99 } },
};

const thrown = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as { line: string }).line;
  }
  return "nothing was thrown";
};

describe("listPlaces", () => {
  it.each<[name: string, filter: PlaceFilter, places: string[]]>([
    ["without a filter, by name", {}, ["aws/eu-west-3", "azure/eastus", "azure/italynorth"]],
    ["of a provider", { provider: ["azure"] }, ["azure/eastus", "azure/italynorth"]],
    ["of an area", { area: ["EU"] }, ["aws/eu-west-3", "azure/italynorth"]],
    ["of one of two countries", { area: ["US", "FR"] }, ["aws/eu-west-3", "azure/eastus"]],
    ["of a country without places", { area: ["ZW"] }, []],
    ["nearest first, unknown last", { of: "azure/italynorth" }, ["azure/italynorth", "aws/eu-west-3", "azure/eastus"]],
    [
      "within a round trip, the limit included",
      { of: "azure/italynorth", withinLatency: 21 },
      ["azure/italynorth", "aws/eu-west-3"],
    ],
    [
      "never with an unknown round trip",
      { of: "azure/italynorth", withinLatency: 1e9 },
      ["azure/italynorth", "aws/eu-west-3"],
    ],
    ["from an origin without round trips", { of: "azure/eastus", withinLatency: 1e9 }, []],
    ["where a type is offered", { type: "NC4" }, ["azure/eastus"]],
    ["where a type is offered without a price", { type: "D4" }, ["azure/italynorth"]],
  ])("lists places %s", (_name, filter, places) => {
    expect(listPlaces(TABLES, filter).map((one) => one.place)).toEqual(places);
  });

  it("describes a place with its areas, grid, round trip and price", () => {
    const [, second] = listPlaces(TABLES, { of: "azure/italynorth", area: ["EU"] });
    expect(second).toEqual({
      ...{ place: "aws/eu-west-3", provider: "aws", region: "eu-west-3", country: "FR", areas: ["EU"], zone: null },
      ...{ electricityZone: "FR", carbonIntensity: 99 },
      latency: { from: "azure/italynorth", ms: 21, source: "measured" },
    });
    expect(listPlaces(TABLES, { type: "D2" }).map(({ pricePerHour }) => pricePerHour)).toEqual([0.1, 0.2]);
  });

  it.each<[filter: PlaceFilter, line: string]>([
    [{ provider: ["azzure"] }, '--provider "azzure" is not a provider of the catalog; write azure [CLI_UNKNOWN_NAME]'],
    [{ provider: ["ibm"] }, "; write one of aws, azure [CLI_UNKNOWN_NAME]"],
    [{ area: ["Italy"] }, '--area "Italy" is not a known area or country; write IT [CLI_UNKNOWN_NAME]'],
    [
      { of: "italynorth" },
      '--of "italynorth" is not a place of the catalog; write azure/italynorth [CLI_UNKNOWN_NAME]',
    ],
    [{ of: "eu-wset-3" }, "; write aws/eu-west-3 [CLI_UNKNOWN_NAME]"],
    [{ type: "m7large" }, '--type "m7large" is not a machine type of the catalog; write m7.large [CLI_UNKNOWN_NAME]'],
    [{ withinLatency: 5 }, "--within-latency needs --of, e.g. --of azure/italynorth"],
  ])("%j names nothing, so the error says what to write", (filter, line) => {
    expect(thrown(() => listPlaces(TABLES, filter))).toContain(line);
  });
});

describe("listTypes", () => {
  it.each<[name: string, filter: TypeFilter, types: string[]]>([
    ["cheapest first, unknown prices last", {}, ["D2", "m7.large", "NC4", "D4"]],
    ["with at least as many vCPUs", { cpu: 3 }, ["NC4", "D4"]],
    ["with at least as much memory", { memory: 8.5 }, ["NC4", "D4"]],
    ["with GPUs", { gpu: 1 }, ["NC4"]],
    ["without GPUs", { gpu: 0 }, ["D2", "m7.large", "D4"]],
    ["of an architecture", { arch: "arm64" }, ["D4"]],
    ["of a family", { family: ["gpu"] }, ["NC4"]],
    ["that a place offers, at its prices", { place: ["azure/italynorth"] }, ["D2", "D4"]],
    ["that an area offers, at its prices", { area: ["EU"] }, ["m7.large", "D2", "D4"]],
    ["of a provider", { provider: ["aws"] }, ["m7.large"]],
  ])("lists types %s", (_name, filter, types) => {
    expect(listTypes(TABLES, filter).map(({ type }) => type)).toEqual(types);
  });

  it("describes a type with its lowest price and the places that offer it", () => {
    const [cheapest, , , unpriced] = listTypes(TABLES, {});
    expect(cheapest).toEqual({
      ...{ type: "D2", provider: "azure", vcpus: 2, memoryGiB: 8, gpus: 0, arch: "amd64", family: "general" },
      ...{ class: "standard", pricePerHour: 0.1, cheapestPlace: "azure/eastus", places: 2 },
      priceDate: "2026-11-22",
    });
    expect(unpriced).toMatchObject({ type: "D4", pricePerHour: null, cheapestPlace: null, priceDate: null, places: 1 });
  });

  it("says the date of a price, and of none where it is not known", () => {
    const dates = listPlaces(TABLES, { type: "D2" }).map(({ place: key, priceDate }) => [key, priceDate]);
    expect(dates).toEqual([
      ["azure/eastus", "2026-11-22"],
      ["azure/italynorth", "2026-06"],
    ]);
    expect(listPlaces(TABLES, { type: "D4" })).toMatchObject([{ pricePerHour: null, priceDate: null }]);
    expect(listPlaces(TABLES, { type: "m7.large" })).toMatchObject([{ pricePerHour: 0.15, priceDate: null }]);
  });

  it.each<[filter: TypeFilter, line: string]>([
    [{ family: ["genral"] }, '--family "genral" is not a family of the catalog; write general [CLI_UNKNOWN_NAME]'],
    [
      { place: ["azure/itlaynorth"] },
      '--place "azure/itlaynorth" is not a place of the catalog; write azure/italynorth',
    ],
  ])("%j names nothing, so the error says what to write", (filter, line) => {
    expect(thrown(() => listTypes(TABLES, filter))).toContain(line);
  });
});

describe("catalogTables", () => {
  it("accepts a bundle's data, also without types with GPUs", () => {
    const { gpuIds: _, ...before } = TABLES;
    expect(catalogTables({ landfall: { catalog: before } }, "a.tar.gz")).toBe(before);
    expect(listTypes(before, { gpu: 1 })).toEqual([]);
  });

  it.each<[what: string, data: Record<string, unknown>, line: string]>([
    ["nothing", {}, "data.landfall.catalog is missing; write its fields"],
    [
      "a place without a country",
      { landfall: { catalog: { ...TABLES, places: [{}] } } },
      "data.landfall.catalog.places[0].key is missing; write a text",
    ],
  ])("refuses %s with BUNDLE_DATA", (_what, data, line) => {
    const message = thrown(() => catalogTables(data, "a.tar.gz"));
    expect(message).toContain(line);
    expect(message).toContain("[BUNDLE_DATA]");
  });
});
