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
const hourOf = (time: number): number => Math.floor(time / HOUR);
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
    ...(random() < 0.3 ? { latestStart: nowSeconds + whole(random, -5, 30) * HOUR } : {}),
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
  const errors = Float64Array.from({ length: whole(random, 2, 60) }, (_, hour) => (hour === 0 ? 0 : random() * 80));
  const waiting = new Map([["z0", { errors, patience: 0.3 * random(), charge: 0 }]]);
  return request({
    ...{ candidates, curves, window, load },
    ...(random() < 0.5 ? { waitingCost: 0.4 * random() } : {}),
    ...(random() < 0.4 ? { waiting } : {}),
    objective: { carbon: 1 - weight * 0.8, price: weight * 0.5, latency: weight * 0.3 },
    ...(budgets === null ? {} : { budgets }),
  });
}

function startsOf({ window }: PlacementRequest): number[] {
  const { nowSeconds, durationSeconds, deadline, latestStart = Infinity, horizonSeconds } = window;
  const latest = Math.min((deadline ?? 0) - (durationSeconds ?? 0), latestStart, nowSeconds + horizonSeconds);
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

/** What an uncertain start counts less, in gCO2eq/kWh. */
function optionOf({ waiting, window }: PlacementRequest, zone: string, start: number): number {
  const { errors = [], patience = 0 } = waiting?.get(zone) ?? {};
  const hours = Math.min(hourOf(start) - hourOf(window.nowSeconds), errors.length - 1);
  return patience * (errors[hours] ?? 0);
}

/** The least objective over every pair of place and start, from the definition in docs/concepts/place-and-time.md. */
function search(asked: PlacementRequest): number {
  const { candidates, curves, objective, window, waitingCost = 0 } = asked;
  const seconds = window.durationSeconds ?? 0;
  const starts = startsOf(asked);
  const grams = candidates.map((machine) =>
    starts.map((start) => {
      const zone = machine.electricityZone ?? "";
      const intensity = curves.get(zone)?.meanOver(start, seconds) ?? Number.NaN;
      return (powerKw(power, machine) * (intensity - optionOf(asked, zone, start)) * seconds) / HOUR;
    }),
  );
  const carbonMean = meanOf(grams.map((values) => Math.min(...values)));
  const priceMean = meanOf(candidates.map(({ pricePerHour }) => pricePerHour ?? 0));
  const latencyMean = meanOf(candidates.map(({ latencyMs }) => latencyMs ?? 0));
  const score = (machine: Candidate, index: number, at: number): number => {
    const carbon = (objective.carbon * (grams[index]?.[at] ?? 0)) / carbonMean;
    const price = (objective.price * (machine.pricePerHour ?? 0)) / priceMean;
    const latency = (objective.latency * (machine.latencyMs ?? 0)) / latencyMean;
    return carbon + price + latency;
  };
  const now = Math.min(...candidates.map((machine, index) => score(machine, index, 0)));
  const totals = candidates.flatMap((machine, index) =>
    starts.map((start, at) => {
      const days = (start - window.nowSeconds) / (24 * HOUR);
      return score(machine, index, at) * factor(asked, machine, start) + waitingCost * now * days;
    }),
  );
  return Math.min(...totals);
}

const waitsAtACost = ({ window, waiting, waitingCost }: PlacementRequest, start: number): boolean =>
  start > window.nowSeconds && waitingCost !== undefined && waiting !== undefined;

describe("choosePlacement against a search over every place and start", () => {
  it("finds the same optimum in 300 random cases, with loads and budgets", () => {
    const random = randomFrom(2022);
    const seen = { full: 0, surcharged: 0, waited: 0 };
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
        seen.waited += waitsAtACost(asked, start) ? 1 : 0;
      }
      seen.full += full.length;
    }
    // The cases do meet what they are there for.
    expect(seen.full).toBeGreaterThan(50);
    expect(seen.surcharged).toBeGreaterThan(50);
    expect(seen.waited).toBeGreaterThan(50);
  });
});
