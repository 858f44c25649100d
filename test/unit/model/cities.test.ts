import { describe, expect, it } from "vitest";
import catalog from "../../../catalog/places.json" with { type: "json" };
import { placesOfCity } from "../../../src/model/places/cities.ts";
import { nearestPlace } from "../../../src/model/places/nearest-place.ts";

const places = catalog.places as Record<string, { display: string; country: string }>;
const names = Object.keys(places);

/** The cities that providers name themselves: `Europe (Milan)`, `Milan`. */
const NAMED = Object.entries(places).flatMap(([place, { display }]) => {
  const city = /\(([^)]+)\)$/.exec(display)?.[1] ?? display;
  return placesOfCity(city).length === 0 ? [] : [{ city, place }];
});

describe("placesOfCity", () => {
  it("knows the places that providers name after a city", () => {
    expect(NAMED.length).toBeGreaterThan(40);
    for (const { city, place } of NAMED) expect(placesOfCity(city), city).toContain(place);
  });

  it("gives places of the catalog, of one country", () => {
    for (const city of new Set(NAMED.map((one) => one.city))) {
      const found = placesOfCity(city);
      expect(found.filter((place) => !names.includes(place))).toEqual([]);
      expect(new Set(found.map((place) => places[place]?.country)).size, city).toBe(1);
    }
  });

  it.each([
    ["Milano", "azure/italynorth"],
    ["ZÜRICH", "azure/switzerlandnorth"],
    ["sao-paulo", "azure/brazilsouth"],
    ["constructor", undefined],
    ["atlantis", undefined],
  ])("reads %s", (city, place) => {
    expect(placesOfCity(city)[0]).toBe(place);
  });
});

describe("nearestPlace", () => {
  it.each([
    ["italynorth", "azure/italynorth"],
    ["Italy North", "azure/italynorth"],
    ["aws/milan", "aws/eu-south-1"],
    ["Frankfurt", "azure/germanywestcentral"],
    ["gcp/europe-west-8", "gcp/europe-west8"],
    ["azrue/itlaynorth", "azure/italynorth"],
    ["azure/europe-west8", "gcp/europe-west8"],
    ["moon/base", null],
    ["", null],
  ])("reads %s as %s", (text, place) => {
    expect(nearestPlace(text, names)).toBe(place);
  });
});
