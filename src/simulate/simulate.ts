import { HOUR_SECONDS } from "../model/time.ts";
import { latestStart, loadOf, type Placed, type Shift, type Task } from "./job.ts";
import { gramsNow, measurePolicy, type PolicyFigures } from "./measure-policy.ts";
import { placeClairvoyant } from "./place-clairvoyant.ts";
import { type FrontierPoint, measureFrontier } from "./frontier.ts";
import { type LostSaving, lostSaving } from "./lost-saving.ts";
import { GAIA_RULES, placeByGaia } from "./place-by-gaia.ts";
import { placeOurs } from "./place-ours.ts";
import { placePatientClairvoyant } from "./place-patient-clairvoyant.ts";
import {
  greedyRegion,
  letsWaitAwhile,
  lowestAverageRegion,
  persistenceGreedy,
  randomRegion,
  runNowAtOrigin,
} from "./place-simply.ts";
import type { PauseRules } from "../model/runs/pause-rules.ts";
import { type PauseResult, simulatePauses } from "./pauses/simulate-pauses.ts";
import { RegionBudget } from "./region-budget.ts";
import { type Recorded, World } from "./world.ts";

export interface SimulationOptions {
  shift: Shift;
  /** Limit of a region's share of all load; null: no limit. */
  maxRegionShare: number | null;
  /** Seed of the random policy. */
  seed: number;
  /** The costs of a day of waiting, in percent, to measure saving and delay for, besides the one in force. */
  frontier?: readonly number[];
  /** How runs may pause, to measure policies that do; only with `shift: "time"`. */
  pauses?: PauseRules;
  /** Receives the completed share of the work, from 0 to 1. */
  onProgress?: (part: number) => void;
  /** The same for the frontier. */
  onFrontier?: (part: number) => void;
}

export interface Simulated {
  figures: PolicyFigures;
  placed: Placed[];
}

export interface Simulation {
  policies: Simulated[];
  /** Lower bound for every policy. */
  upperBound: { kgCO2: number };
  /** The emission of perfect knowledge that starts every job on arrival, without budgets. */
  bestNow: { kgCO2: number };
  /** The parts of what `ours` emits above the bound. Null with a budget, where the best place of a job depends on the others. */
  lost: LostSaving | null;
  /** The cost of a day of waiting that `ours` pays, in percent. */
  waitingCostPercent: number;
  /** Empty if it was not asked for; otherwise also with the point of `waitingCostPercent`. */
  frontier: readonly FrontierPoint[];
  /** Empty if it was not asked for. */
  pauses: readonly PauseResult[];
  tasks: readonly Task[];
}

/** The asked costs of waiting with the one in force, in their order; none if none is asked. */
const withInForce = (asked: readonly number[], inForce: number): number[] =>
  asked.length === 0 ? [] : [...new Set([...asked, inForce])].sort((a, b) => a - b);

/** Restricts a task to the origin, or to its arrival time. */
function narrow(task: Task, shift: Shift): Task {
  const { job, allowed, atOrigin } = task;
  if (shift === "place") return { ...task, job: { ...job, deadline: job.arrival + job.durationSeconds } };
  if (shift === "both") return task;
  const origin = allowed.find(({ place }) => place === job.origin);
  // If the rules forbid the origin, the nearest allowed place replaces it.
  const byLatency = [...allowed].sort((a, b) => (a.latencyMs ?? Infinity) - (b.latencyMs ?? Infinity));
  return { ...task, allowed: [origin ?? byLatency[0] ?? atOrigin] };
}

/** With the only place that is left as the origin, so that all policies are compared in the same place. */
const atItsPlace = (task: Task): Task => ({ ...task, atOrigin: task.allowed[0] ?? task.atOrigin });

const sumOfLoads = (tasks: readonly Task[]): number => tasks.reduce((sum, { job }) => sum + loadOf(job), 0);

interface Policy {
  name: string;
  /** The dimensions that it shifts. The policy is omitted if one of them must not be shifted. */
  shifts: readonly Shift[];
  place: (tasks: readonly Task[]) => Placed[];
}

const ALWAYS: readonly Shift[] = ["place", "time", "both"];

function policies(world: World, { maxRegionShare, seed, onProgress }: SimulationOptions): Policy[] {
  const places: readonly Shift[] = ["place", "both"];
  const times: readonly Shift[] = ["time", "both"];
  return [
    { name: "run-now-at-origin", shifts: ALWAYS, place: runNowAtOrigin },
    { name: "random-region", shifts: places, place: (tasks) => randomRegion(tasks, seed) },
    { name: "lowest-average-region", shifts: places, place: (tasks) => lowestAverageRegion(world, tasks) },
    { name: "lets-wait-awhile", shifts: times, place: (tasks) => letsWaitAwhile(world, tasks) },
    ...GAIA_RULES.map((rule): Policy => {
      return { name: `gaia-${rule}`, shifts: times, place: (tasks) => placeByGaia(world, tasks, rule) };
    }),
    { name: "greedy-region-only", shifts: places, place: (tasks) => greedyRegion(world, tasks) },
    { name: "persistence-24h", shifts: ALWAYS, place: (tasks) => persistenceGreedy(world, tasks) },
    {
      name: "clairvoyant-same-cost",
      shifts: times,
      place: (tasks) => placePatientClairvoyant(world, tasks, world.waitingCost),
    },
    {
      name: "ours",
      shifts: ALWAYS,
      place: (tasks) => {
        const budget = maxRegionShare === null ? null : new RegionBudget(maxRegionShare, sumOfLoads(tasks));
        const onHour = (started: number): void => onProgress?.(started / tasks.length);
        return placeOurs(world, tasks, { budget, waitingCost: world.waitingCost, onHour });
      },
    },
  ];
}

/**
 * Replays `tasks` (sorted by arrival) over the measured hours under every policy that has a choice under
 * `options.shift`, and under perfect knowledge. The share limit applies to Landfall's policy and to the bound; the
 * others show the result without a limit.
 */
export function simulate(recorded: Recorded, tasks: readonly Task[], options: SimulationOptions): Simulation {
  const world = new World(recorded);
  const narrowed = tasks.map((task) => narrow(task, options.shift));
  const results = policies(world, options)
    .filter(({ shifts }) => shifts.includes(options.shift))
    .map(({ name, place }) => {
      const placed = place(narrowed);
      return { figures: measurePolicy(name, world, narrowed, placed), placed };
    });
  const { placed, bound } = placeClairvoyant(world, narrowed, options.maxRegionShare);
  const own = results.find(({ figures }) => figures.name === "ours")?.placed ?? [];
  const lost = options.maxRegionShare === null ? lostSaving(world, narrowed, own, bound) : null;
  results.push({ figures: measurePolicy("clairvoyant", world, narrowed, placed), placed });
  // To hundredths: 0.07 * 100 is not a whole number.
  const waitingCostPercent = Math.round(world.waitingCost * 10_000) / 100;
  const costs = withInForce(options.frontier ?? [], waitingCostPercent);
  const frontier = measureFrontier(world, narrowed, costs, options.onFrontier);
  const { pauses: rules } = options;
  const pauses = rules === undefined ? [] : simulatePauses(world, narrowed.map(atItsPlace), rules);
  const now = narrowed.reduce((sum, task) => sum + gramsNow(world, task), 0);
  const [upperBound, bestNow] = [{ kgCO2: bound / 1000 }, { kgCO2: now / 1000 }];
  return { policies: results, upperBound, bestNow, lost, waitingCostPercent, frontier, pauses, tasks };
}

/** The share of the greatest possible saving against the baseline that a policy achieves; null if there is no saving. */
export function shareOfBound({ policies: all, upperBound }: Simulation, kgCO2: number): number | null {
  const baseline = all[0]?.figures.kgCO2 ?? 0;
  const possible = baseline - upperBound.kgCO2;
  return possible <= 1e-9 ? null : (baseline - kgCO2) / possible;
}

/** Hours between arrival and the latest start. */
export const slackHours = ({ job }: Task): number => (latestStart(job) - job.arrival) / HOUR_SECONDS;
