import type { Placed, Task } from "./job.ts";
import { placePatientClairvoyant } from "./place-patient-clairvoyant.ts";
import type { World } from "./world.ts";

/** The parts of a policy's emission above the lowest one, in kg CO2e. They add up to the difference. */
export interface LostSaving {
  /** The part that the best place for the same start would save. */
  place: number;
  /**
   * The difference between these starts, in their best places, and perfect knowledge at the same cost of waiting. It can be negative
   * if they wait longer.
   */
  hour: number;
  /** The difference between perfect knowledge at this cost of waiting and with free waiting. */
  waitingCost: number;
}

/** The parts of what `placed` emits above `bound` (grams): the lowest emission without budgets. */
export function lostSaving(world: World, tasks: readonly Task[], placed: readonly Placed[], bound: number): LostSaving {
  let [own, inBestPlace, patient] = [0, 0, 0];
  const same = placePatientClairvoyant(world, tasks, world.waitingCost);
  for (const [index, { job, allowed }] of tasks.entries()) {
    const [at, knowing] = [placed[index], same[index]];
    if (at === undefined || knowing === undefined) continue;
    own += world.grams(job, at.candidate, at.start);
    inBestPlace += Math.min(...allowed.map((candidate) => world.grams(job, candidate, at.start)));
    patient += world.grams(job, knowing.candidate, knowing.start);
  }
  const kg = (grams: number): number => grams / 1000;
  return { place: kg(own - inBestPlace), hour: kg(inBestPlace - patient), waitingCost: kg(patient - bound) };
}
