import { DAY_SECONDS, HOUR_SECONDS } from "../model/time.ts";
import { optionValue } from "../placement/option-value.ts";
import type { IntensityCurve } from "../model/places/intensity.ts";
import type { Candidate } from "../model/policy.ts";
import { choosePlacement, type ScoredPlace } from "../placement/choose-placement.ts";
import { powerKw } from "../placement/energy.ts";
import { netMean, type Waiting } from "../placement/zone-means.ts";
import { type Job, latestStart, loadOf, type Placed, type Task } from "./job.ts";
import type { RegionBudget } from "./region-budget.ts";
import type { World } from "./world.ts";

/** A plan changes only for one that is better by this share, so that plans do not oscillate. */
const HYSTERESIS = 0.002;
const FAR_HOURS = 24;

interface Pending {
  index: number;
  task: Task;
  plan: Placed;
}

/** Curves, option values and candidates of a task at one moment. */
interface Outlook {
  curves: Map<string, IntensityCurve>;
  /** By the keys of `curves`. */
  waiting: Map<string, Waiting>;
  candidates: readonly Candidate[];
}

class Scheduler {
  readonly #world: World;
  readonly #budget: RegionBudget | null;
  readonly #waitingCost: number;

  constructor(world: World, budget: RegionBudget | null, waitingCost: number) {
    this.#world = world;
    this.#budget = budget;
    this.#waitingCost = waitingCost;
  }

  /** The best place and start by what is known at `nowSeconds`; `before` stays unless the gain is worth a move. */
  plan(task: Task, nowSeconds: number, before: Placed | null): Placed {
    const budget = this.#budget;
    if (budget === null) return this.#better(task, this.#outlook(task, nowSeconds), { nowSeconds, before });
    const load = loadOf(task.job);
    if (before === null) this.#learn(task, nowSeconds, budget);
    else budget.remove(before.candidate.place, load);
    const open = budget.withHeadroom(
      task.allowed.map(({ place }) => place),
      load,
    );
    const priced = this.#priced(task, this.#outlook(task, nowSeconds), budget);
    const free = { ...priced, candidates: priced.candidates.filter(({ place }) => open.has(place)) };
    const stays = before !== null && open.has(before.candidate.place) ? before : null;
    const plan = this.#better(task, free, { nowSeconds, before: stays });
    budget.add(plan.candidate.place, load);
    return plan;
  }

  /** The task with this index, at its arrival. */
  take(tasks: readonly Task[], index: number): Pending[] {
    const task = tasks[index];
    return task === undefined ? [] : [{ index, task, plan: this.plan(task, task.job.arrival, null) }];
  }

  #outlook({ job, allowed }: Task, nowSeconds: number): Outlook {
    const curves = new Map<string, IntensityCurve>();
    const waiting = new Map<string, Waiting>();
    const patience = optionValue({ nowSeconds, latestStart: latestStart(job), waitingCost: this.#waitingCost });
    const candidates = this.#budget === null ? this.#promising({ job, allowed }, nowSeconds, patience) : allowed;
    for (const { electricityZone: zone } of candidates) {
      if (zone === null || curves.has(zone)) continue;
      const outlook = this.#world.forecast(zone, nowSeconds);
      curves.set(zone, outlook.curve);
      waiting.set(zone, { errors: outlook.waitErrors(job.durationSeconds).errors, patience, charge: 0 });
    }
    return { curves, waiting, candidates };
  }

  /**
   * If carbon alone counts, omits the places whose best start is worse than an immediate run at the best other place.
   * This removes most places of a task; each would be examined at hundreds of starts.
   */
  #promising(
    { job, allowed }: Pick<Task, "job" | "allowed">,
    nowSeconds: number,
    patience: number,
  ): readonly Candidate[] {
    const { objective, power } = this.#world;
    if (objective.price > 0 || objective.latency > 0) return allowed;
    let known = Number.POSITIVE_INFINITY;
    const floors = allowed.map((candidate) => {
      const outlook = this.#world.forecast(candidate.electricityZone ?? "", nowSeconds);
      const watts = powerKw(power, candidate);
      known = Math.min(known, watts * outlook.curve.meanOver(nowSeconds, job.durationSeconds));
      return watts * (outlook.least - patience * outlook.waitErrors(job.durationSeconds).greatest);
    });
    return allowed.filter((_, index) => (floors[index] ?? 0) <= known);
  }

  /** One curve per place, because regions of one zone have different prices. */
  #priced({ job }: Task, { curves, waiting, candidates }: Outlook, budget: RegionBudget): Outlook {
    const own = new Map<string, IntensityCurve>();
    const charged = new Map<string, Waiting>();
    for (const candidate of candidates) {
      const zone = candidate.electricityZone ?? "";
      const curve = curves.get(zone);
      if (curve !== undefined) own.set(candidate.place, curve);
      const charge = (budget.priceOf(candidate.place) * job.cpu) / powerKw(this.#world.power, candidate);
      const waits = waiting.get(zone);
      if (waits !== undefined) charged.set(candidate.place, { ...waits, charge });
    }
    return {
      curves: own,
      waiting: charged,
      candidates: candidates.map((candidate) => ({ ...candidate, electricityZone: candidate.place })),
    };
  }

  #rank({ job }: Task, { candidates, curves, waiting }: Outlook, nowSeconds: number): ScoredPlace[] {
    const { power, objective, horizonSeconds } = this.#world;
    const { durationSeconds, deadline } = job;
    const window = { nowSeconds, durationSeconds, deadline, pinnedStart: null, horizonSeconds };
    const waitingCost = this.#waitingCost;
    return choosePlacement({ candidates, curves, waiting, waitingCost, power, objective, window }).ranked;
  }

  #learn(task: Task, nowSeconds: number, budget: RegionBudget): void {
    const all = this.#rank(task, this.#outlook(task, nowSeconds), nowSeconds);
    const costs = Float64Array.from(all, ({ netGrams }) => netGrams ?? 0);
    budget.learn({ load: loadOf(task.job), places: all.map(({ candidate }) => candidate.place), costs }, nowSeconds);
  }

  #better(task: Task, outlook: Outlook, { nowSeconds, before }: { nowSeconds: number; before: Placed | null }): Placed {
    const [best] = this.#rank(task, outlook, nowSeconds);
    if (best === undefined) return before ?? { candidate: task.atOrigin, start: task.job.arrival };
    const original = task.allowed.find(({ place }) => place === best.candidate.place) ?? task.atOrigin;
    const plan = { candidate: original, start: best.start };
    const kept = before === null ? null : this.#gramsOf(task.job, before, { ...outlook, nowSeconds });
    if (before === null || kept === null || best.netGrams === null) return plan;
    // As in the product (update/worth-moving.ts): an earlier start saves what waiting costs.
    const sooner = ((before.start - plan.start) / DAY_SECONDS) * (best.gramsPerDay ?? 0);
    return kept + sooner - best.netGrams > HYSTERESIS * Math.abs(kept) ? plan : before;
  }

  /** The plan's grams under the present outlook; null if its zone has no data. */
  #gramsOf(
    { durationSeconds }: Job,
    { candidate, start }: Placed,
    { curves, waiting, candidates, nowSeconds }: Outlook & { nowSeconds: number },
  ): number | null {
    const zone = candidates.find(({ place }) => place === candidate.place)?.electricityZone ?? "";
    const mean = curves.get(zone)?.meanOver(start, durationSeconds);
    if (mean === undefined) return null;
    const waits = waiting.get(zone);
    const counts = waits === undefined ? mean : netMean(mean, waits, nowSeconds, start);
    return powerKw(this.#world.power, candidate) * counts * (durationSeconds / HOUR_SECONDS);
  }
}

/**
 * Every hour. A plan for later than tomorrow with several places is reconsidered every third hour, which hardly changes
 * the result.
 */
const isDue = ({ index, plan, task }: Pending, hour: number): boolean =>
  task.allowed.length === 1 || plan.start < hour + FAR_HOURS * HOUR_SECONDS || (hour / HOUR_SECONDS + index) % 3 === 0;

export interface OursOptions {
  budget: RegionBudget | null;
  /** Share of the best score of an immediate start that one day of waiting has to save. */
  waitingCost: number;
  /** Receives the number of jobs that have started. */
  onHour?: (started: number) => void;
}

/** Index after the last task that arrives before `end`, starting at `from`. */
function countArrived(tasks: readonly Task[], from: number, end: number): number {
  const later = tasks.findIndex(({ job }, index) => index >= from && job.arrival >= end);
  return later === -1 ? tasks.length : later;
}

/**
 * Landfall's own algorithm: each job is decided at its arrival by the product's placement under the embedded forecast,
 * and again each full hour until its start (`isDue`). Each decision knows only earlier hours. `tasks` are sorted by
 * arrival; `onHour` receives the number of jobs that have started.
 */
export function placeOurs(
  world: World,
  tasks: readonly Task[],
  { budget, waitingCost, onHour }: OursOptions,
): Placed[] {
  const scheduler = new Scheduler(world, budget, waitingCost);
  const placed: Placed[] = [];
  let waiting: Pending[] = [];
  let arrived = 0;
  const first = tasks[0]?.job.arrival ?? 0;
  for (
    let hour = Math.floor(first / HOUR_SECONDS) * HOUR_SECONDS;
    arrived < tasks.length || waiting.length > 0;
    hour += HOUR_SECONDS
  ) {
    const due = waiting.filter((entry) => isDue(entry, hour));
    for (const entry of due) entry.plan = scheduler.plan(entry.task, hour, entry.plan);
    const until = countArrived(tasks, arrived, hour + HOUR_SECONDS);
    for (; arrived < until; arrived++) waiting.push(...scheduler.take(tasks, arrived));
    for (const { index, plan } of waiting) if (plan.start < hour + HOUR_SECONDS) placed[index] = plan;
    waiting = waiting.filter(({ plan }) => plan.start >= hour + HOUR_SECONDS);
    onHour?.(arrived - waiting.length);
  }
  return placed;
}
