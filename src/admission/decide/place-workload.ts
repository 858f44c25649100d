import type { LoadTable } from "../../model/load.ts";
import type { PolicyResult } from "../../model/policy.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import { choosePlacement, type PlacementAnswer } from "../../placement/choose-placement.ts";
import type { PlacementQuestion } from "../../placement/placement-question.ts";
import { loadTable } from "../../placement/load-table.ts";
import { platformBudgets } from "../../placement/platform-budgets.ts";
import { countWaiting } from "./count-waiting.ts";
import { intensityCurves } from "./intensity-curves.ts";
import type { Question } from "../decision-request.ts";
import { placeTogether } from "./batch.ts";

/** What is placed already, added up when somebody asks: where nothing is limited and nothing is equal, nobody does. */
function loadOf({ placed }: Question): LoadTable {
  let table: LoadTable | undefined;
  const load = (): LoadTable => (table ??= loadTable(placed?.() ?? []));
  return { at: (place, hour) => load().at(place, hour), totalAt: (hour) => load().totalAt(hour) };
}

/** The user's start. What is not there yet cannot start in the past: it starts now. */
function pinnedStart({ nowSeconds, started }: Question, { pin }: WorkloadRequest): number | null {
  return pin.start === null || started === true ? pin.start : Math.max(pin.start, nowSeconds);
}

/**
 * The places of the policy's answer at their best starts. An object's name is its seed, so that the webhook and `landfall
 * explain` settle near-ties alike. What runs already has its place: no budget takes it away.
 */
export function placeWorkload(question: Question, request: WorkloadRequest, result: PolicyResult): PlacementAnswer {
  const load = loadOf(question);
  const runs = question.started === true;
  const budgets = runs ? null : platformBudgets(result.schedule.budgets, load);
  const waiting = countWaiting(question, request, result);
  const asked: PlacementQuestion = {
    candidates: result.candidates,
    curves: intensityCurves(question),
    power: question.policy.catalog.power,
    objective: result.objective,
    window: {
      nowSeconds: question.nowSeconds,
      durationSeconds: request.durationSeconds,
      deadline: runs ? null : request.deadline,
      pinnedStart: pinnedStart(question, request),
      horizonSeconds: result.horizonSeconds,
    },
    ...(waiting === undefined ? {} : { waiting }),
    load,
    ...(budgets === null ? {} : { budgets }),
    seed: `${request.namespace}/${request.name}`,
    tolerance: result.schedule.tolerance,
  };
  if (budgets === null || question.together === undefined) return choosePlacement(asked);
  return placeTogether(question.together, { question: asked, settings: result.schedule.budgets }, result.schedule);
}
