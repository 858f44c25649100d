import type { Segment } from "../../../src/model/runs/pause-rules.ts";
import type { SplitRequest } from "../../../src/placement/split/split-request.ts";

const HOUR = 3600;
export const QUARTER = 900;

const bonusAt = ({ bonus, nowSeconds }: SplitRequest, time: number): number =>
  bonus?.[Math.min(bonus.length - 1, Math.max(0, Math.floor(time / HOUR) - Math.floor(nowSeconds / HOUR)))] ?? 0;

/** Emissions less the bonus of each quarter's beginning, as defined for the grid. */
function emitted(request: SplitRequest, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to;) {
    const next = Math.min(to, (Math.floor(at / QUARTER) + 1) * QUARTER);
    sum += (request.curve.meanOver(at, next - at) - bonusAt(request, at)) * (next - at);
    at = next;
  }
  return sum;
}

/** Whether a part follows a pause: its machine has to resume. */
function resumes({ nowSeconds, state }: SplitRequest, parts: readonly Segment[], index: number): boolean {
  if (index > 0 || state.is === "paused") return true;
  return state.is === "running" && (parts[0]?.start ?? 0) > nowSeconds;
}

/** What a resume emits that ends at `until`: its bonus is that of its beginning. */
function resumeCost(request: SplitRequest, until: number): number {
  const { resumeSeconds } = request.rules;
  const before = until - resumeSeconds;
  const bonus = bonusAt(request, before) * resumeSeconds;
  return emitted({ ...request, bonus: new Float64Array(1) }, before, until) - bonus;
}

/** Whether every part works long enough, and the run that stops now has. */
function longEnough(request: SplitRequest, parts: readonly Segment[]): boolean {
  const { workSeconds, rules, state } = request;
  const before = state.is === "running" ? state.seconds : 0;
  if (resumes(request, parts, 0) && state.is === "running" && before < rules.minRunSeconds) return false;
  return parts.every(({ start, end }, index) => {
    const resumed = resumes(request, parts, index);
    const last = index === parts.length - 1;
    // A part that nothing paused may be as short as the work is.
    if (last && !resumed) return true;
    const needed = last ? Math.min(rules.minRunSeconds, workSeconds) : rules.minRunSeconds;
    return end - start + (resumed ? 0 : before) >= needed;
  });
}

/** Whether the parts end by the deadline and within `maxSpan` after their start, with the reserve of those that resume. */
function inTime({ latestEnd, reserveSeconds }: SplitRequest, parts: readonly Segment[], span: number, free: boolean) {
  const limit = Math.min(latestEnd, (parts[0]?.start ?? 0) + span);
  return (parts.at(-1)?.end ?? 0) <= limit - (free ? 0 : reserveSeconds);
}

/** Cost of the parts of work (without resumes), or infinity if they break a rule. From the definition. */
export function costOf(request: SplitRequest, parts: readonly Segment[], maxSpan = Infinity): number {
  const { nowSeconds, workSeconds, waitingCost, pauseCost, rules, state } = request;
  const resumed = parts.filter((_, index) => resumes(request, parts, index));
  const pauses = resumed.length - (state.is === "paused" ? 1 : 0);
  const end = parts.at(-1)?.end ?? 0;
  const early = parts.some(({ start }, index) => {
    const ready = index === 0 ? nowSeconds : (parts[index - 1]?.end ?? 0);
    return resumes(request, parts, index) && start - rules.resumeSeconds < ready;
  });
  if (!inTime(request, parts, maxSpan, resumed.length === 0)) return Infinity;
  if (early || pauses > rules.maxPauses || !longEnough(request, parts)) return Infinity;
  const work = parts.reduce((sum, part) => sum + emitted(request, part.start, part.end), 0);
  const restarts = resumed.reduce((sum, { start }) => sum + resumeCost(request, start), 0);
  return work + restarts + pauses * pauseCost + waitingCost * (end - nowSeconds - workSeconds);
}

/** The parts that work in the steps of a mask, and before the first step from `start` on; null if they are not the work. */
function partsOfMask(
  { workSeconds }: SplitRequest,
  mask: number,
  first: number,
  start: number | null,
): Segment[] | null {
  const parts: Segment[] = [];
  let left = workSeconds;
  const add = (from: number, to: number): void => {
    const end = Math.min(to, from + left);
    const before = parts.at(-1);
    if (before?.end === from) before.end = end;
    else if (end > from) parts.push({ start: from, end });
    left -= end - from;
  };
  if (start !== null) add(start, Math.ceil(start / QUARTER) * QUARTER);
  for (let step = 0; mask >> step > 0; step++) {
    const at = first + step * QUARTER;
    if (((mask >> step) & 1) === 0 || at < (start ?? 0)) continue;
    if (left <= 0) return null;
    add(at, at + QUARTER);
  }
  return left > 0 ? null : parts;
}

/** The least cost over every set of steps of work, from now or from a full quarter: 2 × 2^steps plans. */
export function leastSplit(request: SplitRequest, maxSpan = Infinity): number {
  const { nowSeconds, latestEnd, state, rules } = request;
  const first = Math.ceil(nowSeconds / QUARTER) * QUARTER;
  const steps = Math.max(0, Math.ceil((latestEnd - first) / QUARTER));
  const soonest = nowSeconds + (state.is === "paused" ? rules.resumeSeconds : 0);
  let least = Infinity;
  for (const start of [null, soonest]) {
    for (let mask = 0; mask < 2 ** steps; mask++) {
      const parts = partsOfMask(request, mask, first, start);
      if (parts !== null) least = Math.min(least, costOf(request, parts, maxSpan));
    }
  }
  return least;
}

/** The work of a plan: its segments without their resumes. */
export function partsOf({ nowSeconds, state, rules }: SplitRequest, segments: readonly Segment[]): Segment[] {
  return segments.map(({ start, end }, index) => {
    const pausedNow = state.is === "running" && start > nowSeconds;
    const resumes = index > 0 || state.is === "paused" || pausedNow;
    return { start: start + (resumes ? rules.resumeSeconds : 0), end };
  });
}
