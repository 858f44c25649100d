import { describe, expect, it } from "vitest";
import type { Candidate } from "../../../src/model/policy.ts";
import { choosePlacement } from "../../../src/placement/choose-placement.ts";
import type { PlacementRequest } from "../../../src/placement/placement-request.ts";
import { powerKw } from "../../../src/placement/energy.ts";
import { loadTable } from "../../../src/placement/load-table.ts";
import { platformBudgets } from "../../../src/placement/headroom.ts";
import { candidate, HOUR, NOW, power, request, randomFrom, weekly } from "./requests.ts";
import { SCALE } from "../../support/scale.ts";

const QUARTER = 900;
type Random = () => number;
const whole = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
const meanOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Everything about a case is drawn: zones, sizes, prices, slack, a `now` off the grid, what is placed, what may be. */
function randomCase(random: Random): PlacementRequest {
  const zones = whole(random, 1, 5);
  const curves = new Map(
    Array.from({ length: zones }, (_, zone) => [
      `z${String(zone)}`,
      weekly(Array.from({ length: 168 }, () => whole(random, 1, 900))),
    ]),
  );
  const candidates = Array.from({ length: whole(random, 1, 6) }, (_, index) =>
    candidate(`${random() < 0.5 ? "azure" : "gcp"}/r${String(index)}`, {
      vcpus: whole(random, 1, 8),
      memoryGiB: whole(random, 1, 32),
      pricePerHour: random(),
      latencyMs: whole(random, 1, 80),
      electricityZone: `z${String(whole(random, 0, zones - 1))}`,
    }),
  );
  const nowSeconds = NOW + whole(random, 0, 168 * HOUR);
  // Every third run is no multiple of a quarter of an hour.
  const durationSeconds = whole(random, 1, 96) * QUARTER + (random() < 0.3 ? whole(random, 1, 899) : 0);
  const window = {
    nowSeconds,
    durationSeconds,
    deadline: nowSeconds + durationSeconds + whole(random, 0, 60 * HOUR),
    pinnedStart: null,
    horizonSeconds: 48 * HOUR,
  };
  const load = loadTable(
    Array.from({ length: whole(random, 0, 12) }, () => {
      const start = nowSeconds + whole(random, -20, 60) * HOUR;
      const place = `azure/r${String(whole(random, 0, 5))}`;
      return { place, start, end: start + whole(random, 1, 30) * HOUR, vcpus: whole(random, 1, 8) };
    }),
  );
  const limited = random() < 0.6;
  const budgets = platformBudgets(
    {
      vcpus: limited ? whole(random, 4, 16) : null,
      places: {},
      maxRegionShare: random() < 0.3 ? 0.5 : null,
      shareFloorVcpus: 4,
      nearFull: { from: 0.6, surcharge: 0.3 },
    },
    load,
  );
  const weight = whole(random, 0, 2) / 2;
  return request({
    ...{ candidates, curves, window, load },
    objective: { carbon: 1 - weight * 0.8, price: weight * 0.5, latency: weight * 0.3 },
    ...(budgets === null ? {} : { budgets }),
  });
}

function startsOf({ window }: PlacementRequest): number[] {
  const { nowSeconds, durationSeconds, deadline, horizonSeconds } = window;
  const latest = Math.min((deadline ?? 0) - (durationSeconds ?? 0), nowSeconds + horizonSeconds);
  const starts = [nowSeconds];
  for (let start = Math.ceil((nowSeconds + 1) / QUARTER) * QUARTER; start <= latest; start += QUARTER)
    starts.push(start);
  return starts;
}

/** The surcharge of the fullest hour that a run touches; infinite where that is over the limit. */
function factor({ load, budgets, window }: PlacementRequest, { place, vcpus }: Candidate, start: number): number {
  if (budgets === undefined) return 1;
  let most = 0;
  const end = start + (window.durationSeconds ?? 0);
  for (let hour = Math.floor(start / HOUR); hour * HOUR < end; hour++)
    most = Math.max(most, ((load?.at(place, hour) ?? 0) + vcpus) / budgets.limitAt(place, hour, vcpus));
  if (most > 1 + 1e-9) return Number.POSITIVE_INFINITY;
  return most <= 0.6 ? 1 : 1 + (0.3 * (most - 0.6)) / 0.4;
}

/** The least objective over every pair of place and start, from the definition in docs/concepts/place-and-time.md. */
function search(asked: PlacementRequest): number {
  const { candidates, curves, objective, window } = asked;
  const seconds = window.durationSeconds ?? 0;
  const starts = startsOf(asked);
  const grams = candidates.map((machine) =>
    starts.map((start) => {
      const intensity = curves.get(machine.electricityZone ?? "")?.meanOver(start, seconds) ?? Number.NaN;
      return (powerKw(power, machine) * intensity * seconds) / HOUR;
    }),
  );
  const carbonMean = meanOf(grams.map((values) => Math.min(...values)));
  const priceMean = meanOf(candidates.map(({ pricePerHour }) => pricePerHour ?? 0));
  const latencyMean = meanOf(candidates.map(({ latencyMs }) => latencyMs ?? 0));
  const scores = candidates.flatMap((machine, index) =>
    starts.map((start, at) => {
      const carbon = (objective.carbon * (grams[index]?.[at] ?? 0)) / carbonMean;
      const price = (objective.price * (machine.pricePerHour ?? 0)) / priceMean;
      const latency = (objective.latency * (machine.latencyMs ?? 0)) / latencyMean;
      return (carbon + price + latency) * factor(asked, machine, start);
    }),
  );
  return Math.min(...scores);
}

describe("choosePlacement against a search over every place and start", () => {
  it("finds the same optimum in 300 random cases, with loads and budgets", () => {
    const random = randomFrom(2022);
    const seen = { full: 0, surcharged: 0 };
    for (let index = 0; index < 300 * SCALE; index++) {
      const asked = randomCase(random);
      const { ranked, full } = choosePlacement(asked);
      const best = search(asked);
      expect(ranked[0]?.score ?? Number.POSITIVE_INFINITY).toBeCloseTo(best, 8);
      expect(ranked.length + full.length).toBe(asked.candidates.length);
      const { deadline, durationSeconds, nowSeconds } = asked.window;
      for (const { start, candidate: machine } of ranked) {
        expect(start + (durationSeconds ?? 0)).toBeLessThanOrEqual(deadline ?? 0);
        expect(start).toBeGreaterThanOrEqual(nowSeconds);
        const charged = factor(asked, machine, start);
        expect(charged).toBeLessThan(Number.POSITIVE_INFINITY);
        if (charged > 1) seen.surcharged += 1;
      }
      seen.full += full.length;
    }
    // The cases do meet what they are there for.
    expect(seen.full).toBeGreaterThan(50);
    expect(seen.surcharged).toBeGreaterThan(50);
  });
});
