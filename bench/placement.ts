// Duration of the largest placement: every place of the catalog, all four providers, a horizon of seven days. `node
// bench/placement.ts`
import { join } from "node:path";
import { readCatalog } from "../src/bundle/catalog/read-catalog.ts";
import { carbonTable } from "../test/support/carbon-table.ts";
import type { Candidate } from "../src/model/policy.ts";
import { HOUR_SECONDS } from "../src/model/time.ts";
import { CarbonCurve } from "../src/placement/curves.ts";
import { choosePlacement } from "../src/placement/choose-placement.ts";
import type { PlacementRequest } from "../src/placement/placement-request.ts";
import { loadTable } from "../src/placement/load-table.ts";
import { platformBudgets } from "../src/placement/headroom.ts";

const ROUNDS = 2000;
const NOW = 1_795_172_400;

const catalog = await readCatalog(join(import.meta.dirname, "../catalog"));
const curves = new Map(
  Object.entries(catalog.carbon.zones).map(([zone, profile]) => [zone, new CarbonCurve(carbonTable(profile))]),
);
const candidates = Object.entries(catalog.places.places).map(([key, place], index): Candidate => ({
  place: key,
  provider: place.provider as Candidate["provider"],
  region: place.region,
  zone: null,
  instanceType: "any",
  vcpus: 2 + (index % 3) * 2,
  memoryGiB: 8,
  pricePerHour: 0.05 + (index % 7) / 100,
  latencyMs: 5 + (index % 50),
  latencySource: "measured",
  electricityZone: place.electricityZone,
  image: null,
}));

/** Every round has another time and duration, so that only caches that a server has too can help. */
const requestOf = (round: number): PlacementRequest => {
  const nowSeconds = NOW + round * 37;
  const durationSeconds = (1 + (round % 24)) * HOUR_SECONDS;
  return {
    ...{ candidates, curves, power: catalog.power },
    objective: { carbon: 0.6, price: 0.3, latency: 0.1 },
    window: {
      nowSeconds,
      durationSeconds,
      deadline: nowSeconds + 192 * HOUR_SECONDS,
      pinnedStart: null,
      horizonSeconds: 168 * HOUR_SECONDS,
    },
    seed: `demo/vm-${String(round)}`,
    tolerance: 0.01,
  };
};

/** A fifth of the places is nearly full at times. */
const load = loadTable(
  candidates
    .filter((_, index) => index % 5 === 0)
    .map(({ place }, index) => ({
      place,
      start: NOW + index * HOUR_SECONDS,
      end: NOW + (index + 60) * HOUR_SECONDS,
      vcpus: 60,
    })),
);
const budgets = platformBudgets(
  { vcpus: 64, places: {}, maxRegionShare: null, shareFloorVcpus: 64, nearFull: { from: 0.8, surcharge: 0.1 } },
  load,
);

function measure(name: string, extra: Partial<PlacementRequest>): void {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const request = { ...requestOf(round), ...extra };
    const started = performance.now();
    choosePlacement(request);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => `${(times[Math.floor(share * times.length)] ?? 0).toFixed(2)} ms`;
  console.log(`${name.padEnd(24)} p50 ${at(0.5)}   p99 ${at(0.99)}   most ${at(1 - 1 / ROUNDS)}`);
}

console.log(`${String(candidates.length)} places, ${String(curves.size)} zones, starts every 15 minutes over 7 days`);
measure("no budgets", {});
measure("a fifth nearly full", budgets === null ? {} : { load, budgets });
