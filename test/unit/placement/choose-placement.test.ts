import { describe, expect, it } from "vitest";
import { carbonTable } from "../../support/carbon-table.ts";
import { CarbonCurve } from "../../../src/placement/curves.ts";
import { choosePlacement, type ScoredPlace } from "../../../src/placement/choose-placement.ts";
import type { PlacementRequest } from "../../../src/placement/placement-request.ts";
import { candidate, flat, HOUR, NOW, request } from "./requests.ts";

const ask = (fields: Partial<PlacementRequest> & Pick<PlacementRequest, "candidates" | "curves">): ScoredPlace[] =>
  choosePlacement(request(fields)).ranked;

describe("choosePlacement", () => {
  it("prefers the place with the least carbon", () => {
    const ranked = ask({
      candidates: [candidate("azure/coal"), candidate("azure/hydro")],
      curves: new Map([
        ["coal", flat(800)],
        ["hydro", flat(20)],
      ]),
    });
    expect(ranked.map((place) => place.candidate.place)).toEqual(["azure/hydro", "azure/coal"]);
    expect(ranked[0]?.gramsCO2).toBeCloseTo(((2 * 3 + 4 * 0.4) * 1.5 * 20) / 1000, 9);
  });

  it("includes the provider's overhead: on the same grid, the more efficient building wins", () => {
    const ranked = ask({
      candidates: [candidate("azure/a", { electricityZone: "x" }), candidate("gcp/b", { electricityZone: "x" })],
      curves: new Map([["x", flat(300)]]),
    });
    expect(ranked[0]?.candidate.place).toBe("gcp/b");
  });

  it("breaks ties by price, then latency, then name, unknown prices last", () => {
    const ranked = ask({
      candidates: [
        candidate("azure/d", { pricePerHour: null }),
        candidate("azure/c", { latencyMs: 20 }),
        candidate("azure/b"),
        candidate("azure/a"),
        candidate("azure/e", { pricePerHour: 0.05 }),
      ].map((entry) => ({ ...entry, electricityZone: "x" })),
      curves: new Map([["x", flat(100)]]),
    });
    expect(ranked.map((place) => place.candidate.region)).toEqual(["e", "a", "b", "c", "d"]);
  });

  it.each([
    ["carbon", { carbon: 1, price: 0, latency: 0 }],
    ["cost", { carbon: 0, price: 1, latency: 0 }],
    ["latency", { carbon: 0, price: 0, latency: 1 }],
    ["balanced", { carbon: 0.5, price: 0.3, latency: 0.2 }],
  ])("never puts a place without a price first if another has one (%s), not even as a near-tie", (_, objective) => {
    const places = {
      candidates: [
        candidate("azure/unpriced", { pricePerHour: null, latencyMs: 1 }),
        candidate("azure/dear", { pricePerHour: 9, latencyMs: 90 }),
      ],
      curves: new Map([
        ["unpriced", flat(20)],
        ["dear", flat(900)],
      ]),
    };
    for (let seed = 0; seed < 20; seed++) {
      const ranked = ask({ ...places, objective, seed: String(seed), tolerance: 0.01 });
      expect(ranked.map(({ candidate: { region } }) => region)).toEqual(["dear", "unpriced"]);
    }
  });

  it("chooses among places without a price if none has one", () => {
    const ranked = ask({
      candidates: [candidate("azure/coal", { pricePerHour: null }), candidate("azure/hydro", { pricePerHour: null })],
      curves: new Map([
        ["coal", flat(800)],
        ["hydro", flat(20)],
      ]),
    });
    expect(ranked[0]).toMatchObject({ candidate: { region: "hydro" } });
    expect(ranked[0]?.score).toBeLessThan(1);
  });

  it("never prefers a zone without data, and returns no grams for it", () => {
    const ranked = ask({
      candidates: [candidate("azure/unknown", { pricePerHour: 0.01 }), candidate("azure/coal")],
      curves: new Map([["coal", flat(900)]]),
    });
    expect(ranked.map((place) => [place.candidate.region, place.gramsCO2 === null])).toEqual([
      ["coal", false],
      ["unknown", true],
    ]);
  });

  it("weights cost and carbon by the objective", () => {
    const greenOrCheap = {
      candidates: [candidate("azure/green", { pricePerHour: 0.2 }), candidate("azure/cheap", { pricePerHour: 0.1 })],
      curves: new Map([
        ["green", flat(100)],
        ["cheap", flat(110)],
      ]),
    };
    expect(ask(greenOrCheap)[0]?.candidate.region).toBe("green");
    expect(ask({ ...greenOrCheap, objective: { carbon: 0, price: 1, latency: 0 } })[0]?.candidate.region).toBe("cheap");
    expect(ask({ ...greenOrCheap, objective: { carbon: 0.5, price: 0.5, latency: 0 } })[0]?.candidate.region).toBe(
      "cheap",
    );
  });

  it("starts now without a deadline, and at the user's own start with one", () => {
    const night = Array.from({ length: 168 }, (_, hour) => (hour % 24 === 3 ? 1 : 500));
    const curves = new Map([["z", new CarbonCurve(carbonTable({ yearly: 1, hourOfWeek: night, source: "test" }))]]);
    const window = {
      nowSeconds: NOW,
      durationSeconds: HOUR,
      deadline: null,
      pinnedStart: null,
      horizonSeconds: 168 * HOUR,
    };
    const candidates = [candidate("azure/z")];
    expect(ask({ candidates, curves, window })[0]?.start).toBe(NOW);
    expect(ask({ candidates, curves, window: { ...window, deadline: NOW + 48 * HOUR } })[0]?.start).toBe(
      NOW + 16 * HOUR,
    );
    expect(ask({ candidates, curves, window: { ...window, pinnedStart: NOW + 5 } })[0]?.start).toBe(NOW + 5);
  });
});
