import type { Segment } from "../../model/runs/pause-rules.ts";
import { QUARTER_SECONDS } from "../possible-starts.ts";
import { costOver } from "./run-grid.ts";
import type { SplitRequest } from "./split-request.ts";

function costOfPart(request: SplitRequest, { start, end }: Segment): number {
  let sum = 0;
  for (let time = start; time < end;) {
    const next = Math.min(end, (Math.floor(time / QUARTER_SECONDS) + 1) * QUARTER_SECONDS);
    sum += costOver(request, time, next - time);
    time = next;
  }
  return sum;
}

/** What these parts of the rest of a run cost, as `splitRun` counts it: whether they meet the limits is not looked at. */
export function planCost(request: SplitRequest, segments: readonly Segment[]): number {
  const { nowSeconds, workSeconds, waitingCost, pauseCost, state } = request;
  const emitted = segments.reduce((sum, part) => sum + costOfPart(request, part), 0);
  const delay = (segments.at(-1)?.end ?? nowSeconds) - nowSeconds - workSeconds;
  const first = state.is === "running" && (segments[0]?.start ?? nowSeconds) > nowSeconds ? 1 : 0;
  return emitted + waitingCost * delay + pauseCost * (segments.length - 1 + first);
}
