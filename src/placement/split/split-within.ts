import { stepOf } from "./run-grid.ts";
import type { SplitPlan, SplitRequest } from "./split-request.ts";
import { splitRun } from "./split-run.ts";

/** Cells of the tables of all starts that are tried, at most: about eight milliseconds. */
const MOST_CELLS = 1_000_000;
/** Starts that are tried, about as many: each costs some work whatever its cells. */
const MOST_STARTS = 200;

/** From the beginning of the first part to the end of the last one, pauses included. */
export const spanOf = ({ segments }: SplitPlan): number => (segments.at(-1)?.end ?? 0) - (segments[0]?.start ?? 0);

/** The earliest starts to try, on the grid: every one of it, or as many as the cells allow. */
function startsOf(request: SplitRequest, step: number, maxSpan: number): number[] {
  const { nowSeconds, workSeconds, latestEnd, latestStart = Number.POSITIVE_INFINITY, rules } = request;
  const cells = (maxSpan / step) * (workSeconds / step + 1) * (rules.maxPauses + 1) * 2;
  const first = Math.ceil(nowSeconds / step) * step;
  const last = Math.min(latestEnd - maxSpan + step, latestStart);
  const steps = Math.max(0, Math.floor((last - first) / step));
  const most = Math.min(MOST_STARTS, Math.max(1, Math.floor(MOST_CELLS / cells)));
  const stride = step * Math.max(1, Math.ceil(steps / most));
  const count = Math.max(0, Math.ceil((last - first) / stride)) + 1;
  return [nowSeconds, ...Array.from({ length: count }, (_, at) => Math.min(first + at * stride, first + steps * step))];
}

/**
 * The best plan of a run that has not begun and is over `maxSpan` seconds after its start, whenever that is. A run that may have to
 * resume keeps its reserve also before that. Each start of the grid is tried, in larger steps for long windows: exact then for plans
 * that are shorter by such a step. The plan without the limit, if even that one costs `enough`.
 */
export function splitWithin(request: SplitRequest, maxSpan: number, enough = Number.POSITIVE_INFINITY): SplitPlan {
  const free = splitRun(request);
  const reserve = free.segments.length > 1 ? request.reserveSeconds : 0;
  if (spanOf(free) + reserve <= maxSpan || free.cost >= enough) return free;
  const step = stepOf(request);
  const plans = startsOf(request, step, maxSpan).map((earliestStart) => {
    const latestEnd = Math.min(request.latestEnd, earliestStart + maxSpan);
    return splitRun({ ...request, earliestStart, latestEnd }, step);
  });
  return plans.reduce((best, one) => (one.cost < best.cost ? one : best));
}
