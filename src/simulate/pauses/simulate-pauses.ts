import type { PauseRules } from "../../model/runs/pause-rules.ts";
import type { Task } from "../job.ts";
import { placeOurs } from "../place-ours.ts";
import { placePatientClairvoyant } from "../place-patient-clairvoyant.ts";
import { runNowAtOrigin } from "../place-simply.ts";
import type { World } from "../world.ts";
import { measurePauses, type PauseFigures, unbroken } from "./measure-pauses.ts";
import { pauseClairvoyant } from "./pause-clairvoyant.ts";
import { pauseOurs } from "./pause-ours.ts";
import { letsWaitAwhileInterrupting, suspendResume } from "./pause-simply.ts";
import type { Split } from "./split.ts";

/** As `schedule.minimumGain` of the settings as shipped: what a pause has to save, as a share of the grams of an immediate run. */
const PAUSE_GAIN = 0.01;

/** A policy's result, and what its pauses save. */
export interface PauseResult extends PauseFigures {
  /** Share of the grams of the same policy's continuous, shifted run that pauses save; null for continuous runs. */
  savedOverOneRun: number | null;
  /** The same of what perfect knowledge saves by pauses over a continuous run; null if that is nothing. */
  shareOfClairvoyant: number | null;
}

/**
 * Replays `tasks` (sorted by arrival) at their origins under the policies that pause runs, next to those that shift a
 * continuous one. All are charged for resumes.
 */
export function simulatePauses(world: World, tasks: readonly Task[], rules: PauseRules): PauseResult[] {
  const { waitingCost } = world;
  const options = { rules, waitingCost, pauseGain: PAUSE_GAIN };
  const measure = (name: string, splits: readonly Split[]): PauseFigures => measurePauses(name, world, tasks, splits);
  const whole = (placed: ReturnType<typeof runNowAtOrigin>): Split[] =>
    tasks.flatMap((task, at) => (placed[at] === undefined ? [] : [unbroken(task, placed[at])]));
  const ours = measure("ours", whole(placeOurs(world, tasks, { budget: null, waitingCost })));
  const clairvoyant = measure("clairvoyant", whole(placePatientClairvoyant(world, tasks, waitingCost)));
  const best = measure("clairvoyant-pausing", pauseClairvoyant(world, tasks, options));
  const possible = clairvoyant.kgCO2 - best.kgCO2;
  const over = (one: PauseFigures, continuous: PauseFigures): PauseResult => ({
    ...one,
    savedOverOneRun: continuous.kgCO2 === 0 ? null : 1 - one.kgCO2 / continuous.kgCO2,
    shareOfClairvoyant: possible <= 1e-9 ? null : (continuous.kgCO2 - one.kgCO2) / possible,
  });
  const alone = (one: PauseFigures): PauseResult => ({ ...one, savedOverOneRun: null, shareOfClairvoyant: null });
  return [
    alone(measure("run-now-at-origin", whole(runNowAtOrigin(tasks)))),
    alone(ours),
    over(measure("carbonscaler-suspend-resume", suspendResume(world, tasks, rules)), ours),
    over(measure("lets-wait-awhile-interrupting", letsWaitAwhileInterrupting(world, tasks, rules)), ours),
    over(measure("ours-pausing", pauseOurs(world, tasks, options)), ours),
    alone(clairvoyant),
    over(best, clairvoyant),
  ];
}
