import type { Segment } from "../../model/runs/pause-rules.ts";
import { costOver, runGrid, type RunGrid, type SplitPlan, type SplitRequest, stepOf } from "./split-request.ts";
import { SplitTables } from "./split-tables.ts";

interface Option {
  cost: number;
  segments: () => Segment[];
}

const total = (request: SplitRequest, segments: readonly Segment[]): number =>
  segments.reduce((sum, { start, end }) => sum + request.curve.meanOver(start, end - start) * (end - start), 0);

/** Work begins, or continues, without delay. */
function atOnce(request: SplitRequest, grid: RunGrid, whole: SplitTables): Option {
  const { nowSeconds, workSeconds, latestEnd, reserveSeconds, waitingCost, state, rules } = request;
  const lead = state.is === "paused" ? rules.resumeSeconds : 0;
  const from = nowSeconds + lead;
  const index = Math.ceil((from - grid.first) / grid.step);
  const part = grid.first + index * grid.step - from;
  const before = costOver(request, nowSeconds, lead) + costOver(request, from, Math.min(part, workSeconds));
  if (workSeconds <= part) {
    const end = from + workSeconds;
    const by = lead === 0 ? latestEnd : latestEnd - reserveSeconds;
    const cost = end > by ? Number.POSITIVE_INFINITY : before + waitingCost * lead;
    return { cost, segments: () => [{ start: nowSeconds, end }] };
  }
  const tables = part === 0 ? whole : new SplitTables(request, grid, workSeconds - part);
  const worked = part + (state.is === "running" ? state.seconds : 0);
  const least = Math.max(0, Math.ceil((rules.minRunSeconds - worked) / grid.step));
  const moment = { pauses: rules.maxPauses, left: tables.steps, at: index };
  return {
    cost: before + tables.begun(moment, least),
    segments: () => tables.follow(moment, nowSeconds, least),
  };
}

/** Work begins, or is resumed, at the best later time on the grid. */
function later(request: SplitRequest, grid: RunGrid, tables: SplitTables, pauses: number): Option {
  const { nowSeconds, state, rules, latestStart = Number.POSITIVE_INFINITY } = request;
  const lead = state.is === "waiting" ? 0 : rules.resumeSeconds;
  const latest = state.is === "waiting" ? Math.floor((latestStart - grid.first) / grid.step) : grid.count;
  const costOf = (at: number): number => {
    const moment = { pauses, left: tables.steps, at };
    return state.is === "waiting" ? tables.begun(moment) : tables.resumed(moment);
  };
  let best = { at: 0, cost: Number.POSITIVE_INFINITY };
  const soonest = Math.max(0, Math.ceil((nowSeconds + lead - grid.first) / grid.step));
  for (let at = soonest; at <= Math.min(latest, grid.count); at++) {
    const cost = costOf(at);
    if (cost < best.cost) best = { at, cost };
  }
  const moment = { pauses, left: tables.steps, at: best.at };
  return { cost: best.cost, segments: () => tables.follow(moment, tables.timeOf(best.at) - lead) };
}

/** The run pauses now, which needs a part that has worked for long enough. */
function pausedNow(request: SplitRequest, grid: RunGrid, tables: SplitTables): Option[] {
  const { state, rules, pauseCost } = request;
  if (state.is !== "running" || state.seconds < rules.minRunSeconds || rules.maxPauses === 0) return [];
  const option = later(request, grid, tables, rules.maxPauses - 1);
  return [{ ...option, cost: option.cost + pauseCost }];
}

/**
 * Splits the rest of a run over the hours before `latestEnd` so that emissions, waiting and pauses cost least: exact on
 * a grid of quarters of an hour, or of larger steps for long runs. A run that cannot end by `latestEnd` continues immediately without a
 * pause. `step` in seconds overrides the grid.
 */
export function splitRun(request: SplitRequest, step = stepOf(request)): SplitPlan {
  const grid = runGrid(request, step);
  const whole = new SplitTables(request, grid, request.workSeconds);
  const { nowSeconds, earliestStart = nowSeconds } = request;
  const options = earliestStart > nowSeconds ? [] : [atOnce(request, grid, whole)];
  if (request.state.is === "running") options.push(...pausedNow(request, grid, whole));
  else options.push(later(request, grid, whole, request.rules.maxPauses));
  const none: Option = { cost: Number.POSITIVE_INFINITY, segments: () => [unbroken(request)] };
  const best = options.reduce((least, one) => (one.cost < least.cost ? one : least), none);
  const segments = best.segments();
  return { segments, emitted: total(request, segments), cost: best.cost };
}

function unbroken({ nowSeconds, workSeconds, state, rules }: SplitRequest): Segment {
  const lead = state.is === "paused" ? rules.resumeSeconds : 0;
  return { start: nowSeconds, end: nowSeconds + lead + workSeconds };
}
