import type { HourlySeries } from "../../../src/model/places/intensity.ts";
import type { Candidate } from "../../../src/model/policy.ts";
import type { Job, Task } from "../../../src/simulate/job.ts";
import { random } from "../../../src/simulate/random.ts";
import type { Recorded } from "../../../src/simulate/world.ts";

export const HOUR = 3600;
const HOURS = 60 * 24;

export const candidate = (place: string, electricityZone: string): Candidate => ({
  place,
  provider: "azure",
  region: place.split("/")[1] ?? place,
  zone: null,
  instanceType: "made",
  vcpus: 2,
  memoryGiB: 4,
  pricePerHour: 0.1,
  latencyMs: 10,
  latencySource: "measured",
  electricityZone,
  image: null,
});

const PLACES = [
  candidate("azure/dirty", "DIRTY"),
  candidate("azure/mixed", "MIXED"),
  candidate("azure/clean", "CLEAN"),
  candidate("azure/clean2", "CLEAN"),
];

function series(seed: number, level: number): HourlySeries {
  const next = random(seed);
  let weather = 0;
  const values = Float64Array.from({ length: HOURS }, (_, hour) => {
    weather = 0.95 * weather + 0.2 * level * (next() - 0.5);
    return Math.max(1, level + 0.3 * level * Math.sin((2 * Math.PI * hour) / 24) + weather);
  });
  return { start: 0, values, before: level };
}

export const recorded: Recorded = {
  series: new Map([
    ["DIRTY", series(1, 400)],
    ["MIXED", series(2, 200)],
    ["CLEAN", series(3, 50)],
  ]),
  sites: new Map([
    ["MIXED", { latitude: 52, longitude: 4 }],
    ["CLEAN", { latitude: 51, longitude: 9 }],
  ]),
  power: { wattsPerVcpu: 2, wattsPerGiB: 0.5, pue: { azure: 1.2 } },
  objective: { carbon: 1, price: 0, latency: 0 },
  horizonSeconds: 168 * HOUR,
  waitingCost: 0,
};

export const job = (values: Partial<Job> = {}): Job => ({
  id: "job",
  arrival: 0,
  cpu: 2,
  memory: 4,
  durationSeconds: 4 * HOUR,
  deadline: 28 * HOUR,
  maxLatencyMs: 50,
  origin: "azure/dirty",
  dataResidency: [],
  ...values,
});

/** Jobs with any of the places, one after the other. */
export function madeTasks(count: number, seed: number): Task[] {
  const next = random(seed);
  const tasks = Array.from({ length: count }, (): Task => {
    const arrival = Math.floor(next() * (HOURS - 120)) * HOUR + 600;
    const durationSeconds = (1 + Math.floor(next() * 12)) * HOUR;
    const deadline = arrival + durationSeconds + (2 + Math.floor(next() * 70)) * HOUR;
    const origin = PLACES[Math.floor(next() * PLACES.length)] ?? candidate("azure/dirty", "DIRTY");
    const made = job({ arrival, durationSeconds, deadline, origin: origin.place, cpu: 1 + Math.floor(next() * 4) });
    return { job: made, allowed: PLACES, atOrigin: origin };
  });
  return tasks.sort((a, b) => a.job.arrival - b.job.arrival);
}
