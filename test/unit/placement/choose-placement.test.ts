import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PowerModel } from "../../../src/model/catalog.ts";
import type { Candidate } from "../../../src/model/policy.ts";
import { CarbonCurve } from "../../../src/placement/carbon-curve.ts";
import { choosePlacement, type PlacementQuestion } from "../../../src/placement/choose-placement.ts";
import { powerKw } from "../../../src/placement/energy.ts";

const NOW = 1_795_172_400;
const HOUR = 3600;
const power: PowerModel = { wattsPerVcpu: 3, wattsPerGiB: 0.4, pue: { default: 1.5, gcp: 1.1 } };

function candidate(place: string, fields: Partial<Candidate> = {}): Candidate {
  const [provider, region] = place.split("/") as [Candidate["provider"], string];
  return {
    place,
    provider,
    region,
    zone: null,
    instanceType: "m1",
    vcpus: 2,
    memoryGiB: 4,
    pricePerHour: 0.1,
    latencyMs: 10,
    latencySource: "measured",
    electricityZone: region,
    image: null,
    ...fields,
  };
}

const flat = (yearly: number): CarbonCurve => new CarbonCurve({ yearly, hourOfWeek: null, source: "test" });

function ask(fields: Partial<PlacementQuestion> & Pick<PlacementQuestion, "candidates" | "curves">) {
  return choosePlacement({
    power,
    objective: { carbon: 1, price: 0, latency: 0 },
    window: { now: NOW, durationSeconds: HOUR, deadline: null, pinnedStart: null, horizonSeconds: 168 * HOUR },
    ...fields,
  }).ranked;
}

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

  it("counts the provider's overhead: the same grid is greener in the better building", () => {
    const ranked = ask({
      candidates: [candidate("azure/a", { electricityZone: "x" }), candidate("gcp/b", { electricityZone: "x" })],
      curves: new Map([["x", flat(300)]]),
    });
    expect(ranked[0]?.candidate.place).toBe("gcp/b");
  });

  it("settles equal carbon by price, then latency, then name, unknown prices last", () => {
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

  it("never prefers a zone without a figure, and gives no grams for it", () => {
    const ranked = ask({
      candidates: [candidate("azure/unknown", { pricePerHour: 0.01 }), candidate("azure/coal")],
      curves: new Map([["coal", flat(900)]]),
    });
    expect(ranked.map((place) => [place.candidate.region, place.gramsCO2 === null])).toEqual([
      ["coal", false],
      ["unknown", true],
    ]);
  });

  it("weighs cost against carbon as the objective says", () => {
    const question = {
      candidates: [candidate("azure/green", { pricePerHour: 0.2 }), candidate("azure/cheap", { pricePerHour: 0.1 })],
      curves: new Map([
        ["green", flat(100)],
        ["cheap", flat(110)],
      ]),
    };
    expect(ask(question)[0]?.candidate.region).toBe("green");
    expect(ask({ ...question, objective: { carbon: 0, price: 1, latency: 0 } })[0]?.candidate.region).toBe("cheap");
    expect(ask({ ...question, objective: { carbon: 0.5, price: 0.5, latency: 0 } })[0]?.candidate.region).toBe("cheap");
  });

  it("starts now without a deadline, and at the user's own start with one", () => {
    const night = Array.from({ length: 168 }, (_, hour) => (hour % 24 === 3 ? 1 : 500));
    const curves = new Map([["z", new CarbonCurve({ yearly: 1, hourOfWeek: night, source: "test" })]]);
    const window = { now: NOW, durationSeconds: HOUR, deadline: null, pinnedStart: null, horizonSeconds: 168 * HOUR };
    const candidates = [candidate("azure/z")];
    expect(ask({ candidates, curves, window })[0]?.start).toBe(NOW);
    expect(ask({ candidates, curves, window: { ...window, deadline: NOW + 48 * HOUR } })[0]?.start).toBe(
      NOW + 16 * HOUR,
    );
    expect(ask({ candidates, curves, window: { ...window, pinnedStart: NOW + 5 } })[0]?.start).toBe(NOW + 5);
  });

  it("finds the same place and hour as a search over every pair", () => {
    const zone = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 168, maxLength: 168 });
    const cases = fc.record({
      zones: fc.array(zone, { minLength: 1, maxLength: 5 }),
      hours: fc.integer({ min: 1, max: 30 }),
      slack: fc.integer({ min: 0, max: 100 }),
      now: fc.integer({ min: NOW, max: NOW + 168 * HOUR }),
    });
    fc.assert(
      fc.property(cases, ({ zones, hours, slack, now }) => {
        const curves = new Map(
          zones.map((hourOfWeek, index) => [
            `z${String(index)}`,
            new CarbonCurve({ yearly: 1, hourOfWeek, source: "t" }),
          ]),
        );
        const candidates = zones.map((_, index) => candidate(`azure/z${String(index)}`, { vcpus: 2 + index }));
        const window = {
          now,
          durationSeconds: hours * HOUR,
          deadline: now + (hours + slack) * HOUR,
          pinnedStart: null,
          horizonSeconds: 60 * HOUR,
        };
        const chosen = ask({ candidates, curves, window })[0];
        const starts = [now];
        for (let start = now + 1; start <= now + Math.min(slack, 60) * HOUR; start++)
          if (start % HOUR === 0) starts.push(start);
        const grams = candidates.flatMap((machine) =>
          starts.map(
            (start) =>
              powerKw(power, machine) * hours * (curves.get(machine.region)?.meanOver(start, hours * HOUR) ?? 0),
          ),
        );
        expect(chosen?.gramsCO2).toBeCloseTo(Math.min(...grams), 6);
        expect(chosen?.start).toBeLessThanOrEqual(now + slack * HOUR);
      }),
      { numRuns: 100, seed: 7 },
    );
  });
});
