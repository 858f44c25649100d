import type { Task } from "./job.ts";
import { measurePolicy } from "./measure-policy.ts";
import { placeOurs } from "./place-ours.ts";
import { placePatientClairvoyant } from "./place-patient-clairvoyant.ts";
import type { World } from "./world.ts";

export interface FrontierFigures {
  kgCO2: number;
  /** With waiting counted at the cost in force, not at that of the point. */
  kgWithWaiting: number;
  meanDelayHours: number;
}

/** The result of a cost of waiting. */
export interface FrontierPoint {
  waitingCostPercent: number;
  ours: FrontierFigures;
  clairvoyant: FrontierFigures;
}

/** Saving and delay of Landfall and of perfect knowledge for several costs of waiting, without budgets. */
export function measureFrontier(
  world: World,
  tasks: readonly Task[],
  percents: readonly number[],
  onProgress: (part: number) => void = () => undefined,
): FrontierPoint[] {
  const figures = (placed: ReturnType<typeof placeOurs>): FrontierFigures => {
    const { kgCO2, kgWithWaiting, meanDelayHours } = measurePolicy("", world, tasks, placed);
    return { kgCO2, kgWithWaiting, meanDelayHours };
  };
  return percents.map((waitingCostPercent, at) => {
    const waitingCost = waitingCostPercent / 100;
    const onHour = (started: number): void => onProgress((at + started / tasks.length) / percents.length);
    const ours = figures(placeOurs(world, tasks, { budget: null, waitingCost, onHour }));
    return { waitingCostPercent, ours, clairvoyant: figures(placePatientClairvoyant(world, tasks, waitingCost)) };
  });
}
