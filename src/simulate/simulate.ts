import { HOUR_SECONDS } from "../model/time.ts";
import { latestStart, loadOf, type Placed, type Shift, type Task } from "./job.ts";
import { measurePolicy, type PolicyFigures } from "./measure-policy.ts";
import { placeClairvoyant } from "./place-clairvoyant.ts";
import { placeOurs } from "./place-ours.ts";
import {
  greedyRegion,
  letsWaitAwhile,
  lowestAverageRegion,
  persistenceGreedy,
  randomRegion,
  runNowAtOrigin,
} from "./place-simply.ts";
import { RegionBudget } from "./region-budget.ts";
import { type Recorded, World } from "./world.ts";

export interface SimulationOptions {
  shift: Shift;
  /** No region may run more than this part of all load; null: no limit. */
  maxRegionShare: number | null;
  /** For the random policy. */
  seed: number;
  /** Told from time to time which part of the work is done, from 0 to 1. */
  onProgress?: (part: number) => void;
}

export interface Simulated {
  figures: PolicyFigures;
  placed: Placed[];
}

export interface Simulation {
  policies: Simulated[];
  /** What no policy can go below. */
  upperBound: { kgCO2: number };
  tasks: readonly Task[];
}

/** The task with less to choose from: only the origin, or only the arrival. */
function narrow(task: Task, shift: Shift): Task {
  const { job, allowed, atOrigin } = task;
  if (shift === "place") return { ...task, job: { ...job, deadline: job.arrival + job.durationSeconds } };
  if (shift === "both") return task;
  const origin = allowed.find(({ place }) => place === job.origin);
  // Where the rules forbid the origin itself, the nearest allowed place stands for it.
  const byLatency = [...allowed].sort((a, b) => (a.latencyMs ?? Infinity) - (b.latencyMs ?? Infinity));
  return { ...task, allowed: [origin ?? byLatency[0] ?? atOrigin] };
}

const sumOfLoads = (tasks: readonly Task[]): number => tasks.reduce((sum, { job }) => sum + loadOf(job), 0);

interface Policy {
  name: string;
  /** What it shifts: it is left out where that may not be shifted. */
  shifts: readonly Shift[];
  place: (tasks: readonly Task[]) => Placed[];
}

const ALWAYS: readonly Shift[] = ["place", "time", "both"];

function policies(world: World, { maxRegionShare, seed, onProgress }: SimulationOptions): Policy[] {
  const places: readonly Shift[] = ["place", "both"];
  return [
    { name: "run-now-at-origin", shifts: ALWAYS, place: runNowAtOrigin },
    { name: "random-region", shifts: places, place: (tasks) => randomRegion(tasks, seed) },
    { name: "lowest-average-region", shifts: places, place: (tasks) => lowestAverageRegion(world, tasks) },
    { name: "lets-wait-awhile", shifts: ["time", "both"], place: (tasks) => letsWaitAwhile(world, tasks) },
    { name: "greedy-region-only", shifts: places, place: (tasks) => greedyRegion(world, tasks) },
    { name: "persistence-24h", shifts: ALWAYS, place: (tasks) => persistenceGreedy(world, tasks) },
    {
      name: "ours",
      shifts: ALWAYS,
      place: (tasks) => {
        const budget = maxRegionShare === null ? null : new RegionBudget(maxRegionShare, sumOfLoads(tasks));
        return placeOurs(world, tasks, budget, (started) => onProgress?.(started / tasks.length));
      },
    },
  ];
}

/**
 * Replays `tasks` (in the order of arrival) over the measured hours under every policy that `options.shift` leaves
 * something to do, and under perfect knowledge. The limit of shares holds for ours and for the bound; the others show what
 * happens without one.
 */
export function simulate(recorded: Recorded, tasks: readonly Task[], options: SimulationOptions): Simulation {
  const world = new World(recorded);
  const narrowed = tasks.map((task) => narrow(task, options.shift));
  const results = policies(world, options)
    .filter(({ shifts }) => shifts.includes(options.shift))
    .map(({ name, place }) => {
      const placed = place(narrowed);
      return { figures: measurePolicy(name, world, tasks, placed), placed };
    });
  const { placed, bound } = placeClairvoyant(world, narrowed, options.maxRegionShare);
  results.push({ figures: measurePolicy("clairvoyant", world, tasks, placed), placed });
  return { policies: results, upperBound: { kgCO2: bound / 1000 }, tasks };
}

/** The part of the greatest possible saving over running now at the origin that a policy reaches; null where there is none. */
export function shareOfBound({ policies: all, upperBound }: Simulation, kgCO2: number): number | null {
  const baseline = all[0]?.figures.kgCO2 ?? 0;
  const possible = baseline - upperBound.kgCO2;
  return possible <= 1e-9 ? null : (baseline - kgCO2) / possible;
}

/** Hours between arrival and the latest start. */
export const slackHours = ({ job }: Task): number => (latestStart(job) - job.arrival) / HOUR_SECONDS;
