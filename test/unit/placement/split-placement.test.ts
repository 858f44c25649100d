import { describe, expect, it } from "vitest";
import { HourlyCurve } from "../../../src/model/places/intensity.ts";
import { reserveOf } from "../../../src/model/runs/pause-rules.ts";
import { choosePlacement } from "../../../src/placement/choose-placement.ts";
import { platformBudgets } from "../../../src/placement/headroom.ts";
import { loadTable } from "../../../src/placement/load-table.ts";
import { powerKw } from "../../../src/placement/energy.ts";
import type { PlacementRequest } from "../../../src/placement/placement-request.ts";
import { leastEmissions, splitPlacement } from "../../../src/placement/split/split-placement.ts";
import { candidate, HOUR, NOW, power, randomFrom, request } from "./requests.ts";

const rules = { minRunSeconds: HOUR, maxPauses: 4, resumeSeconds: 600 };
const hourly = (values: readonly number[]): HourlyCurve =>
  new HourlyCurve(NOW, Float64Array.from(values), { source: "test", issuedAt: null, until: null });
const hours = (valueOf: (hour: number) => number): HourlyCurve =>
  hourly(Array.from({ length: 72 }, (_, at) => valueOf(at)));

const asked = (fields: Partial<PlacementRequest> & Pick<PlacementRequest, "candidates" | "curves">): PlacementRequest =>
  request({
    ...{ pauses: rules, waitingCost: 0, pauseGain: 0.01 },
    window: {
      ...{ nowSeconds: NOW, durationSeconds: 8 * HOUR, deadline: NOW + 60 * HOUR, pinnedStart: null },
      horizonSeconds: 168 * HOUR,
    },
    ...fields,
  });
const split = (one: PlacementRequest) => splitPlacement(one, choosePlacement(one));

/** Five places with hourly intensities, and any of prices, a cost of waiting and option values. */
function randomCase(random: () => number): PlacementRequest {
  const candidates = Array.from({ length: 5 }, (_, at) =>
    candidate(`gcp/z${String(at)}`, { vcpus: 1 + Math.floor(4 * random()), pricePerHour: 0.1 + random() }),
  );
  const curves = new Map(
    candidates.map(({ region }) => [region, hourly(Array.from({ length: 72 }, () => 50 + 400 * random() ** 2))]),
  );
  const errors = Float64Array.from({ length: 30 }, (_, hour) => hour);
  return asked({
    ...{ candidates, curves, waitingCost: random() < 0.5 ? 0 : 0.1 * random() },
    ...(random() < 0.5 ? { waiting: new Map([["z0", { errors, patience: 0.5, charge: 0 }]]) } : {}),
    objective: { carbon: 1, price: random() < 0.5 ? 0 : 0.3, latency: 0 },
  });
}

describe("placing a run that may pause", () => {
  const nights = hours((hour) => (hour % 24 < 4 ? 100 : 500));
  const steady = hours(() => 280);
  const two = {
    candidates: [candidate("gcp/nights"), candidate("gcp/steady")],
    curves: new Map([
      ["nights", nights],
      ["steady", steady],
    ]),
  };

  it("prefers the place that is best with pauses, although a continuous run is worse there", () => {
    const once = asked({ ...two, pauses: { ...rules, maxPauses: 1 } });
    expect(choosePlacement(once).ranked[0]?.candidate.region).toBe("steady");
    const [best, other] = split(once).ranked;
    expect(best?.candidate.region).toBe("nights");
    expect(best?.segments).toEqual([
      { start: NOW, end: NOW + 4 * HOUR },
      { start: NOW + 24 * HOUR - 600, end: NOW + 28 * HOUR },
    ]);
    const kilowatts = powerKw(power, candidate("gcp/nights"));
    expect(best?.gramsCO2).toBeCloseTo(kilowatts * (8 * 100 + 500 / 6), 6);
    expect(best?.netGrams).toBeCloseTo(best?.gramsCO2 ?? 0, 6);
    expect(other).toMatchObject({ candidate: { region: "steady" } });
    expect(other?.segments).toBeUndefined();
  });

  it("changes nothing without pauses, with a fixed start, and where carbon does not count", () => {
    for (const fields of [
      { pauses: { ...rules, maxPauses: 0 } },
      { objective: { carbon: 0, price: 1, latency: 0 } },
      { window: { ...asked(two).window, pinnedStart: NOW + HOUR } },
      { window: { ...asked(two).window, deadline: NOW + 9 * HOUR } },
    ]) {
      const one = asked({ ...two, ...fields });
      expect(splitPlacement(one, choosePlacement(one))).toEqual(choosePlacement(one));
    }
  });

  it("keeps the place during its pauses, so that a place which is full then is not planned", () => {
    const load = loadTable([{ place: "gcp/nights", start: NOW + 10 * HOUR, end: NOW + 11 * HOUR, vcpus: 7 }]);
    const settings = {
      vcpus: 8,
      places: {},
      maxRegionShare: null,
      shareFloorVcpus: 4,
      nearFull: { from: 1, surcharge: 0 },
    };
    const budgets = platformBudgets(settings, load) ?? undefined;
    const limited = asked({ ...two, load, ...(budgets === undefined ? {} : { budgets }) });
    expect(split(limited).ranked[0]).toMatchObject({ candidate: { region: "steady" } });
  });

  it("is never worse than a continuous run in 60 random cases, with prices, waiting and option values", () => {
    const random = randomFrom(7);
    let paused = 0;
    for (let round = 0; round < 60; round++) {
      const one = randomCase(random);
      const [chosen] = split(one).ranked;
      for (const { score } of choosePlacement(one).ranked) expect(chosen?.score).toBeLessThanOrEqual(score + 1e-9);
      if (chosen?.segments === undefined) continue;
      paused += 1;
      const curve = one.curves.get(chosen.candidate.region) ?? steady;
      const emitted = chosen.segments.reduce(
        (sum, { start, end }) => sum + curve.meanOver(start, end - start) * (end - start),
        0,
      );
      expect(chosen.gramsCO2).toBeCloseTo((powerKw(power, chosen.candidate) * emitted) / HOUR, 6);
      expect(chosen.gramsCO2).toBeGreaterThanOrEqual((chosen.netGrams ?? 0) - 1e-6);
      expect(chosen.segments.at(-1)?.end).toBeLessThanOrEqual(NOW + 60 * HOUR - reserveOf(rules));
    }
    expect(paused).toBeGreaterThan(20);
  });
});

describe("the lower bound of a place", () => {
  it("is the sum of the lowest quarters, which no plan goes below", () => {
    const curve = hours((hour) => (hour === 3 ? 10 : hour === 7 ? 20 : 100));
    const bound = leastEmissions(curve, NOW, NOW + 24 * HOUR, 2.25 * HOUR);
    expect(bound).toBeCloseTo((10 + 20 + 25) * HOUR, 6);
    expect(leastEmissions(curve, NOW, NOW + 24 * HOUR, HOUR + 450)).toBeCloseTo((10 + 20 / 8) * HOUR, 6);
  });
});
