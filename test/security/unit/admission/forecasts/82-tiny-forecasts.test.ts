import { expect, it } from "vitest";
import { checkPlausible } from "../../../../../src/external-data/forecasts/check-plausible.ts";

const check = (values: number[], stepSeconds = 3600) =>
  checkPlausible({ issuedAt: 1_800_000_000, start: 1_800_000_000, stepSeconds, values, band: null }, "grid", "DE");
const series = (length: number, value: number): number[] => Array.from({ length }, () => value);

it.each([
  ["a millionth of a gram for a day", series(24, 1e-6), 3600],
  ["just below a gram for a day", series(24, 0.999), 3600],
  ["zeros and tiny values alternately", series(48, 0).map((_, index) => (index % 2) * 0.5), 3600],
  ["tiny values every five minutes", [50, ...series(288, 0.01), 50], 300],
])("82: a forecast with %s is not used", (_what, values, step) => {
  expect(() => check(values, step)).toThrow(/less than 1 g\/kWh for 24|less than 1 g\/kWh for 48/);
});

it.each([
  ["23 hours of tiny values", [...series(23, 0.01), 20]],
  ["a gram all the time", series(48, 1)],
])("82: a forecast with %s is used", (_what, values) => {
  expect(check(values).values).toEqual(values);
});
