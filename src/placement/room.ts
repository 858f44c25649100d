import type { Budgets, LoadTable } from "../model/load.ts";
import type { Candidate } from "../model/policy.ts";
import { type Starts, startAt } from "./possible-starts.ts";

const HOUR_SECONDS = 3600;
/** Sums of vCPU may carry rounding. */
const FULL = 1 + 1e-9;

/** What the budgets leave of a place, for every start. */
export interface Room {
  /** The factor that the score is multiplied by, at least 1; infinite where the place is full in any hour of the run. */
  factorAt(index: number): number;
}

export interface RoomQuestion {
  candidate: Candidate;
  starts: Starts;
  /** Of the run, or of the part of it that counts. */
  seconds: number;
  load: LoadTable | undefined;
  budgets: Budgets;
}

function factorOf(share: number, nearFull: Budgets["nearFull"]): number {
  if (share > FULL) return Number.POSITIVE_INFINITY;
  if (nearFull === undefined || share <= nearFull.from) return 1;
  return 1 + (nearFull.surcharge * (share - nearFull.from)) / Math.max(1 - nearFull.from, Number.EPSILON);
}

/** Asks for an hour's load only where a run that is looked at touches it. */
export function room({ candidate, starts, seconds, load, budgets }: RoomQuestion): Room {
  const { place, vcpus } = candidate;
  const shares = new Map<number, number>();
  function shareIn(hour: number): number {
    const known = shares.get(hour);
    if (known !== undefined) return known;
    const share = ((load?.at(place, hour) ?? 0) + vcpus) / budgets.limitAt(place, hour, vcpus);
    shares.set(hour, share);
    return share;
  }
  return {
    factorAt(index) {
      const start = startAt(starts, index);
      const end = Math.ceil((start + seconds) / HOUR_SECONDS);
      let most = 0;
      for (let hour = Math.floor(start / HOUR_SECONDS); hour < end; hour++) most = Math.max(most, shareIn(hour));
      return factorOf(most, budgets.nearFull);
    },
  };
}
