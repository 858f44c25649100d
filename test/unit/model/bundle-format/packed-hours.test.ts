import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carbonTable } from "../../../support/carbon-table.ts";
import { packHours, unpackHours, YEAR_HOURS } from "../../../../src/model/bundle-format/packed-hours.ts";
import { forPolicies } from "../../../../src/policy/load-bundle.ts";
import { SCALE } from "../../../support/scale.ts";

const years = fc.array(fc.integer({ min: 0, max: 6000 }), { minLength: YEAR_HOURS, maxLength: YEAR_HOURS });

describe("packHours", () => {
  it("is reversible", () => {
    const check = (values: number[]): void => {
      expect([...(unpackHours(packHours(values)) ?? [])]).toEqual(values);
    };
    fc.assert(fc.property(years, check), { numRuns: 20 * SCALE, seed: 1 });
  });

  it("takes about a byte and a third for each hour of a grid", () => {
    const values = Array.from({ length: YEAR_HOURS }, (_, hour) => 300 + Math.round(60 * Math.sin(hour / 4)));
    expect(packHours(values).length).toBe(2692);
  });

  it.each([
    ["nothing", ""],
    ["too few", packHours(new Array<number>(YEAR_HOURS - 1).fill(5))],
    ["too many", packHours(new Array<number>(YEAR_HOURS + 1).fill(5))],
    ["a number without its end", `${packHours(new Array<number>(YEAR_HOURS).fill(5)).replaceAll("=", "")}/w==`],
    ["negative figures", packHours(new Array<number>(YEAR_HOURS).fill(-1))],
    ["figures without an end", Buffer.alloc(5000, 255).toString("base64")],
    ["no base64", "every hour of the week"],
  ])("is not taken for a year where it holds %s", (_, text) => {
    expect(unpackHours(text)).toBeNull();
  });
});

describe("carbonTable", () => {
  const hours = Array.from({ length: 12 }, (_, month) =>
    Array.from({ length: 168 }, (_, hour) => month * 10 + (hour % 24)),
  );

  it("is the same for packed and plain figures", () => {
    const fields = { yearly: 60, source: "test" };
    const plain = carbonTable({ ...fields, hourOfWeek: hours });
    expect(carbonTable({ ...fields, hourOfWeek: packHours(hours.flat()) })).toEqual(plain);
    expect(plain).toMatchObject({ detail: "month × hour of week", yearly: 60 });
    expect(plain.tenths[11 * 168 + 30]).toBe((110 + 6) * 10);
  });

  it("keeps tenths of a gram of manual figures", () => {
    expect(carbonTable({ yearly: 1, hourOfWeek: new Array<number>(168).fill(17.25), source: "" }).tenths[0]).toBe(173);
  });
});

describe("forPolicies", () => {
  it("omits the hours, keeps the rest and does not change its input", () => {
    const profile = { yearly: 60, hourOfWeek: "AA", source: "test" };
    const data = { landfall: { catalog: { carbon: { DE: profile, FR: 5 }, dates: {} }, other: 1 } };
    expect(forPolicies(data)).toEqual({
      landfall: { catalog: { carbon: { DE: { yearly: 60, source: "test" }, FR: 5 }, dates: {} }, other: 1 },
    });
    expect(data.landfall.catalog.carbon.DE).toBe(profile);
  });

  it("does not change data without carbon", () => {
    expect(forPolicies({ landfall: { catalog: {} } })).toEqual({ landfall: { catalog: {} } });
  });
});
