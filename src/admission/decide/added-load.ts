import type { Budgets, PlacedWorkload } from "../../model/places/load.ts";
import type { Candidate, PolicyResult } from "../../model/policy.ts";
import { HOUR_SECONDS, WEEK_SECONDS } from "../../model/time.ts";
import type { PlaceKey, WorkloadRequest } from "../../model/workload.ts";
import type { PlacementAnswer } from "../../placement/choose-placement.ts";
import { headroom, platformBudgets } from "../../placement/headroom.ts";
import type { DecisionRequest } from "../types.ts";
import { readRequest } from "../check/read-request.ts";
import { atMost, countedVcpus } from "./counted-size.ts";
import { policyInput } from "./policy-input.ts";
import { loadOf, placeAlone } from "./place-workload.ts";

/** The largest of the object's running versions in a place and hour. Hours are counted since 1970. */
function runningAt(running: readonly PlacedWorkload[], place: PlaceKey, hour: number): number {
  const [from, to] = [hour * HOUR_SECONDS, (hour + 1) * HOUR_SECONDS];
  const then = running.filter(
    (one) => one.place === place && (one.start ?? from) < to && (one.end ?? Number.POSITIVE_INFINITY) > from,
  );
  return Math.max(0, ...then.map(({ vcpus }) => vcpus));
}

/** The budgets without a limit where the object runs that much already. */
const exempting = (budgets: Budgets, running: readonly PlacedWorkload[], vcpus: number): Budgets => ({
  limitAt: (place, hour, adding) =>
    vcpus <= runningAt(running, place, hour) ? Number.POSITIVE_INFINITY : budgets.limitAt(place, hour, adding),
});

/** The platform's limits of what runs in a place; null if it sets none. They hold whatever else its policy says of the object. */
function budgetsFor(request: DecisionRequest): Budgets | null {
  const object = { ...request.object, spec: { ...request.object.spec, ...request.pins } };
  const workload = readRequest(request.kind, object);
  const { schedule } = request.policy.evaluate(policyInput({ ...request, object, request: workload }));
  return platformBudgets(schedule.budgets, loadOf(request));
}

/** Whether the platform limits what runs in a place. */
export const hasBudgets = (request: DecisionRequest): boolean => budgetsFor(request) !== null;

/** Whether a place has no capacity for so many vCPU from now on for `seconds`, also where something else denies the object. */
export function lacksCapacity(
  request: DecisionRequest,
  candidate: Pick<Candidate, "place" | "vcpus">,
  seconds: number,
): boolean {
  const budgets = budgetsFor(request);
  if (budgets === null) return false;
  const { nowSeconds: first } = request;
  const room = headroom({
    ...{ candidate, seconds, budgets, load: loadOf(request) },
    starts: { first, grid: first, count: 0 },
  });
  return room.factorAt(0) === Number.POSITIVE_INFINITY;
}

/** Whether nothing ends the run: its end is only when its user expects to be done. */
const isKept = ({ object, pins }: DecisionRequest, { defaults }: PolicyResult): boolean =>
  (object.spec?.["whenDone"] ?? pins?.whenDone ?? defaults.whenDone ?? "keep") === "keep";

/**
 * The hours to come of the object's run: a week without an end. A run whose end has passed continues until it is removed, and so does one that
 * is kept, if it grows.
 */
function hoursToCome({ nowSeconds }: DecisionRequest, { pin, durationSeconds }: WorkloadRequest, endless: boolean) {
  const begun = pin.start ?? nowSeconds;
  const first = Math.max(begun, nowSeconds);
  const end = durationSeconds === null ? first : begun + durationSeconds;
  return { starts: { first, grid: first, count: 0 }, seconds: endless || end <= first ? WEEK_SECONDS : end - first };
}

/** Whether the object takes more of this place than its budgets leave, in hours in which it is to be larger than it is, or did not run. */
function exceedsBudgets(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  candidate: Candidate,
): boolean {
  const load = loadOf(request);
  const budgets = platformBudgets(result.schedule.budgets, load);
  if (budgets === null) return false;
  const [vcpus, running] = [countedVcpus(request, workload, candidate), request.running ?? []];
  const grows = running.every((one) => one.place !== candidate.place || one.vcpus < vcpus);
  const hours = hoursToCome(request, workload, grows && isKept(request, result));
  const limits = exempting(budgets, running, vcpus);
  return (
    headroom({ candidate: atMost(request, workload, candidate), ...hours, load, budgets: limits }).factorAt(0) ===
    Number.POSITIVE_INFINITY
  );
}

/**
 * The ranked candidates of an object that runs already. Budgets never deny what runs: only what an update adds to it is checked against
 * those of its place.
 */
export function placeRunning(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
): PlacementAnswer {
  const full = result.candidates.filter((candidate) => exceedsBudgets(request, workload, result, candidate));
  const candidates = result.candidates.filter((candidate) => !full.includes(candidate));
  const { ranked } = placeAlone(request, workload, { ...result, candidates });
  return { ranked, full: full.map(({ place }) => place) };
}
