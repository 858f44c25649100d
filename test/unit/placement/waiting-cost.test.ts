import { describe, expect, it } from "vitest";
import type { PlacementRequest } from "../../../src/placement/placement-request.ts";
import { choosePlacement, type ScoredPlace } from "../../../src/placement/choose-placement.ts";
import { platformBudgets } from "../../../src/placement/headroom.ts";
import { loadTable } from "../../../src/placement/load-table.ts";
import { candidate, flat, HOUR, NOW, request, weekly } from "./requests.ts";

const DAY = 24 * HOUR;
const EMPTY_SETTINGS = {
  places: {},
  maxRegionShare: null,
  shareFloorVcpus: 4,
  nearFull: { from: 0.8, surcharge: 0.1 },
};

/** Grams by hours from NOW, 200 elsewhere. */
const curve = (hours: Record<number, number>) => {
  const monday = (NOW + 72 * HOUR) % (168 * HOUR);
  return weekly(Array.from({ length: 168 }, (_, hour) => hours[(hour - monday / HOUR + 168) % 168] ?? 200));
};

const window = {
  ...{ nowSeconds: NOW, durationSeconds: HOUR, deadline: NOW + 4 * DAY },
  ...{ pinnedStart: null, horizonSeconds: 168 * HOUR },
};

function best(hours: Record<number, number>, more: Partial<PlacementRequest> = {}): ScoredPlace | undefined {
  const curves = new Map([["a", curve(hours)]]);
  return choosePlacement(request({ candidates: [candidate("azure/a")], curves, window, waitingCost: 0.1, ...more }))
    .ranked[0];
}

const hoursOf = (place: ScoredPlace | undefined): number => ((place?.start ?? 0) - NOW) / HOUR;

describe("the cost of waiting", () => {
  it.each([
    ["saves less than a tenth a day", { 24: 181 }, 0],
    ["saves more than a tenth a day", { 24: 179 }, 24],
    ["saves a little within an hour", { 1: 199 }, 1],
    ["is cheaper later, but not by a tenth a day more", { 24: 150, 72: 115 }, 24],
    ["is cheaper later by more than that", { 24: 150, 72: 105 }, 72],
  ])("lets an object wait where that %s", (_, hours, expected) => {
    expect(hoursOf(best(hours))).toBe(expected);
  });

  it("is a share of the best score of an immediate start, and is told in grams a day", () => {
    const place = best({ 24: 100 });
    const now = best({});
    expect(place?.gramsPerDay).toBeCloseTo(0.1 * (now?.gramsCO2 ?? 0), 9);
    expect(place?.score).toBeCloseTo((now?.score ?? 0) * 1.2, 9);
  });

  it("is measured against the best place for an immediate start, not against the own place", () => {
    const candidates = [candidate("azure/a"), candidate("azure/clean")];
    const curves = new Map([
      ["a", curve({ 48: 10 })],
      ["clean", flat(20)],
    ]);
    const ranked = (waitingCost: number): string | undefined => {
      return choosePlacement(request({ candidates, curves, window, waitingCost })).ranked[0]?.candidate.region;
    };
    // Two days at 20 % of 20 g cost 8 g, at 30 % 12 g; the wait saves 10 g.
    expect(ranked(0.2)).toBe("a");
    expect(ranked(0.3)).toBe("clean");
  });

  it.each(["cost", "latency"])("does not matter for %s: it never waits for carbon, even if waiting is free", (name) => {
    const objective = { carbon: 0, price: name === "cost" ? 1 : 0, latency: name === "latency" ? 1 : 0 };
    for (const waitingCost of [0, 0.1]) expect(hoursOf(best({ 2: 1, 48: 1 }, { objective, waitingCost }))).toBe(0);
  });

  it("weighs the carbon part alone for a mixed objective", () => {
    const objective = { carbon: 0.5, price: 0.3, latency: 0.2 };
    // The carbon part is half of the score, so the same saving in grams earns half the wait.
    expect(hoursOf(best({ 24: 165 }))).toBe(24);
    expect(hoursOf(best({ 24: 165 }, { objective }))).toBe(0);
    expect(hoursOf(best({ 24: 100 }, { objective }))).toBe(24);
  });

  it("lets an object without a duration or a deadline start at once", () => {
    for (const fields of [{ durationSeconds: null }, { deadline: null }])
      expect(best({ 2: 1 }, { window: { ...window, ...fields } })).toMatchObject({ start: NOW, gramsPerDay: null });
  });
});

describe("the limit of waiting", () => {
  it.each([
    ["no start is later", { latestStart: NOW + 6 * HOUR }, 6],
    ["the deadline applies as well", { latestStart: NOW + 60 * HOUR, deadline: NOW + 8 * HOUR }, 7],
    ["a limit that has passed starts the object at once", { latestStart: NOW - HOUR }, 0],
    ["an object without a deadline can wait so long", { latestStart: NOW + 6 * HOUR, deadline: null }, 6],
  ])("%s", (_, fields, expected) => {
    const falling = Object.fromEntries(Array.from({ length: 90 }, (_one, hour) => [hour, 190 - 2 * hour]));
    expect(hoursOf(best(falling, { waitingCost: 0, window: { ...window, ...fields } }))).toBe(expected);
  });
});

describe("a place that is full now", () => {
  const candidates = [
    candidate("azure/cheap", { pricePerHour: 0.1 }),
    candidate("azure/dear", { pricePerHour: 0.108 }),
  ];
  const curves = new Map([
    ["cheap", flat(100)],
    ["dear", flat(100)],
  ]);
  const objective = { carbon: 0, price: 1, latency: 0 };

  /** The cheap place is full for so many hours. */
  function choose(hours: number): string {
    const load = loadTable([{ place: "azure/cheap", start: NOW, end: NOW + hours * HOUR, vcpus: 8 }]);
    const budgets = platformBudgets({ vcpus: 8, ...EMPTY_SETTINGS }, load) ?? undefined;
    const asked = request({ candidates, curves, window, objective, waitingCost: 0.1, load });
    const [first] = choosePlacement({ ...asked, ...(budgets === undefined ? {} : { budgets }) }).ranked;
    return `${first?.candidate.region ?? ""} after ${String(hoursOf(first))} h`;
  }

  it("is waited for only as long as that costs less than the next place", () => {
    expect(choose(0)).toBe("cheap after 0 h");
    // 8 % of the price are 19 hours at 10 % a day.
    expect(choose(18)).toBe("cheap after 18 h");
    expect(choose(21)).toBe("dear after 0 h");
  });
});
