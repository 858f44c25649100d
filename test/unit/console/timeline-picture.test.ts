import { describe, expect, it } from "vitest";
import { barParts } from "../../../web/src/pages/timeline/bar-parts.ts";
import { cleanestHour } from "../../../web/src/pages/timeline/cleanest-hour.ts";
import { HOUR_MS } from "../../../src/model/time.ts";
import { hourAt, ticksOf, xOf } from "../../../web/src/pages/timeline/time-scale.ts";

const FROM = Date.parse("2026-11-20T00:00:00Z");
/** 10 pixels an hour. */
const SCALE = { from: FROM, hours: 48, width: 480 };
const at = (hour: number): string => new Date(FROM + hour * HOUR_MS).toISOString();
const NOW = FROM + 12 * HOUR_MS;

const RUN = {
  startsAt: at(10),
  endsAt: at(20),
  parts: [],
  deadline: at(30),
  latestStart: at(19),
  since: null,
} as const;

describe("the bar of an object", () => {
  it("is divided now into what was and what is planned", () => {
    const found = barParts(SCALE, { ...RUN, parts: [], state: "running" }, NOW);
    expect(found).toEqual({
      pieces: [
        { x: 100, width: 20, past: true },
        { x: 120, width: 80, past: false },
      ],
      ...{ line: null, deadline: 300, latestStart: 190, isOpen: false, isLater: false },
    });
  });

  it("is planned alone as long as it waits, even if its start has passed", () => {
    expect(barParts(SCALE, { ...RUN, parts: [], state: "waiting" }, NOW).pieces).toEqual([
      { x: 100, width: 100, past: false },
    ]);
  });

  it("has a gap for each pause", () => {
    const parts = [
      { start: at(10), end: at(13) },
      { start: at(15), end: at(20) },
    ];
    const found = barParts(SCALE, { ...RUN, parts, state: "running" }, NOW);
    expect(found.pieces.map(({ x, width }) => [x, width])).toEqual([
      [100, 20],
      [120, 10],
      [150, 50],
    ]);
    expect(found.line).toEqual({ x: 100, width: 100 });
  });

  it("ends when the run was over, not when it was planned to", () => {
    const found = barParts(SCALE, { ...RUN, parts: [], state: "ended", since: at(11) }, NOW);
    expect(found.pieces).toEqual([{ x: 100, width: 10, past: true }]);
  });

  it("goes on while the machine of an overdue run is kept", () => {
    const overdue = { ...RUN, startsAt: at(2), endsAt: at(5), state: "overdue" } as const;
    const on = [
      { x: 20, width: 100, past: true },
      { x: 120, width: 360, past: false },
    ];
    expect(barParts(SCALE, { ...overdue, parts: [] }, NOW)).toMatchObject({ pieces: on, isOpen: true });
    const parts = [
      { start: at(2), end: at(3) },
      { start: at(4), end: at(5) },
    ];
    const found = barParts(SCALE, { ...overdue, parts }, NOW);
    expect(found.pieces.map(({ x, width }) => [x, width])).toEqual([
      [20, 10],
      [40, 10],
      [50, 70],
      [120, 360],
    ]);
    expect(found.isOpen).toBe(true);
  });

  it("goes on to the edge without an end, and has no marks outside of the shown hours", () => {
    const open = { ...RUN, parts: [], endsAt: null, deadline: at(100), latestStart: null, state: "running" } as const;
    expect(barParts(SCALE, { ...open, parts: [] }, NOW)).toMatchObject({
      isOpen: true,
      deadline: null,
      latestStart: null,
    });
    const later = barParts(SCALE, { ...RUN, parts: [], startsAt: at(60), endsAt: at(61), state: "waiting" }, NOW);
    expect(later).toMatchObject({ pieces: [], isLater: true, isOpen: false });
  });
});

describe("the hours", () => {
  it("of a position and of a time agree", () => {
    for (const hour of [0, 7, 47])
      expect(hourAt(SCALE, xOf(SCALE, FROM + hour * HOUR_MS) + 1)).toBe(FROM + hour * HOUR_MS);
    expect([hourAt(SCALE, -50), hourAt(SCALE, 9999)]).toEqual([FROM, FROM + 47 * HOUR_MS]);
  });

  it.each([
    [48, 480],
    [96, 800],
    [336, 800],
    [336, 200],
  ])("have labels that leave room for each other: %i hours on %i pixels", (hours, width) => {
    const scale = { from: FROM, hours, width };
    const ticks = ticksOf(scale).map(({ time }) => xOf(scale, time));
    expect(ticks.length).toBeGreaterThan(1);
    const gaps = ticks.slice(1).map((x, index) => x - (ticks[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(40);
  });
});

describe("the cleanest hour of a zone", () => {
  const hours = [50, 90, 80, 60, 60].map((value) => ({ value, known: "expected", low: null, high: null }) as const);

  it("is the first of the lowest ones that are not over", () => {
    expect(cleanestHour(hours, FROM, FROM)).toEqual({ at: FROM, value: 50 });
    expect(cleanestHour(hours, FROM, FROM + HOUR_MS)).toEqual({ at: FROM + 3 * HOUR_MS, value: 60 });
    expect(cleanestHour(hours, FROM, FROM + 5 * HOUR_MS)).toBe(null);
  });
});
