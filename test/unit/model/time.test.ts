import { describe, expect, it } from "vitest";
import { formatTime, hourOfWeek, parseDuration, parseTime } from "../../../src/model/time.ts";

describe("parseDuration", () => {
  it.each([
    ["3h", 10_800],
    ["90m", 5_400],
    ["1d12h", 129_600],
    ["45s", 45],
    ["PT3H", 10_800],
    ["P1DT30M", 88_200],
    ["P2W", 1_209_600],
  ])("reads %s as %i seconds", (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(["", "banana", "3", "h", "0h", "-3h", "3h ", "1.5h", "P", "PT", "P1DT", "P1Y", "P1M", "PT3H2", "12h1d"])(
    "refuses %j",
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );
});

describe("parseTime", () => {
  it.each([
    ["1970-01-01T00:00:00Z", 0],
    ["2026-11-20T12:00:00+01:00", 1_795_172_400],
    ["2024-02-29T00:00:00.999Z", 1_709_164_800],
  ])("reads %s", (text, seconds) => {
    expect(parseTime(text)).toBe(seconds);
  });

  it.each([
    "",
    "tomorrow",
    "2026-11-20",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T00:00:00",
  ])("refuses %j", (text) => {
    expect(parseTime(text)).toBeNull();
  });

  it("writes what it reads", () => {
    expect(formatTime(parseTime("2026-11-20T12:34:56Z") ?? 0)).toBe("2026-11-20T12:34:56Z");
  });

  it("agrees with the runtime's calendar, in any order of days", () => {
    const days = [0, -1, 20_778, 20_777, 20_794, 19_782, 19_783, -25_509, 47_482];
    const times = days.flatMap((day) => [0, 1, 59, 60, 3599, 3600, 86_399].map((second) => day * 86_400 + second));
    const expected = times.map((time) => `${new Date(time * 1000).toISOString().slice(0, -5)}Z`);
    expect(times.map(formatTime)).toEqual(expected);
    expect(times.toReversed().map(formatTime)).toEqual(expected.toReversed());
    expect(formatTime(1_795_172_400.9)).toBe("2026-11-20T11:00:00Z");
  });
});

describe("hourOfWeek", () => {
  it("starts the week on Monday 00:00 UTC", () => {
    expect(hourOfWeek(parseTime("2026-11-16T00:30:00Z") ?? 0)).toBe(0);
    expect(hourOfWeek(parseTime("2026-11-22T23:59:59Z") ?? 0)).toBe(167);
  });
});
