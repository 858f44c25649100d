import { describe, expect, it } from "vitest";
import { checkCatalog } from "../../../src/bundle/catalog/check-catalog.ts";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import { type MeasuredZone, mergeCarbon } from "../../../src/bundle/catalog/refresh/merge-carbon.ts";
import { LandfallError } from "../../../src/errors.ts";
import { CATALOG } from "../../support/bundles/built-bundle.ts";

const files = await readCatalog(CATALOG);
const START = Date.parse("2025-11-22T00:00:00Z") / 1000;
const YEAR = 8760;

/** Measured hours: `night` grams until 06:00 UTC, `day` afterwards. */
const measured = (zone: string, [night, day]: [number, number], count = YEAR): MeasuredZone => ({
  ...{ zone, source: "meter" },
  hours: { start: START, values: Array.from({ length: count }, (_, hour) => (hour % 24 < 6 ? night : day)) },
});
const yearly = (zone: string): number => files.carbon.zones[zone]?.yearly ?? 0;

describe("mergeCarbon", () => {
  it("makes a profile by month and hour of the week of a year's hours, with its mean and its source", () => {
    const { carbon, zones } = mergeCarbon(files.carbon, [measured("IT-NO", [200, 320])]);
    expect(zones).toEqual([{ zone: "IT-NO", hours: YEAR, yearly: 290, before: yearly("IT-NO"), kept: null }]);
    const { hourOfWeek, ...profile } = carbon.zones["IT-NO"] ?? { hourOfWeek: null };
    expect(profile).toEqual({ yearly: 290, source: "meter, hourly series of a year, to 2026-11-21" });
    const months = hourOfWeek as number[][];
    expect(months).toHaveLength(12);
    for (const week of months)
      expect([week.length, week[0], week[5], week[6], week[167]]).toEqual([168, 200, 200, 320, 320]);
    expect(carbon.dates["carbon profiles"]).toBe("2022 (IT-NO: 2026-11-21)");
    checkCatalog({ ...files, carbon }, "refreshed");
  });

  it("leaves the zones that no source has, and knows one that had no figure", () => {
    const { carbon } = mergeCarbon(files.carbon, [measured("CA-AB", [450, 520])]);
    expect(files.carbon.unknown).toContain("CA-AB");
    expect(carbon.unknown).not.toContain("CA-AB");
    expect(carbon.zones["CA-AB"]?.yearly).toBe(503);
    expect(carbon.zones["FR"]).toBe(files.carbon.zones["FR"]);
  });

  it.each<[string, MeasuredZone, string, string]>([
    [
      "hours of a day",
      measured("FR", [90, 100], 24),
      "CATALOG_HOURS",
      "24 measured hours without a gap, and a profile needs 8400",
    ],
    ["g per MWh", measured("FR", [90_000, 100_000]), "CATALOG_INTENSITY", "is not within 5 to 1300 gCO2eq/kWh"],
    ["zeros", measured("FR", [0, 0]), "CATALOG_INTENSITY", "is not within 5 to 1300 gCO2eq/kWh"],
    [
      "another zone's figures",
      measured("FR", [700, 700]),
      "CATALOG_INTENSITY",
      "times the earlier one, outside 0.25 to 4",
    ],
    [
      "an error",
      { zone: "FR", source: "meter", hours: new LandfallError("FORECAST_ZONE", { source: "meter", zone: "FR" }) },
      "FORECAST_ZONE",
      "meter has no forecast for zone FR",
    ],
  ])("keeps the profile of a zone whose source has %s, and says why", (_, zone, code, text) => {
    const { carbon, zones } = mergeCarbon(files.carbon, [zone]);
    expect(carbon.zones["FR"]).toBe(files.carbon.zones["FR"]);
    expect(zones[0]).toMatchObject({ zone: "FR", yearly: yearly("FR"), kept: { code } });
    expect(zones[0]?.kept?.message).toContain(text);
  });
});
