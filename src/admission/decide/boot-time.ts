import type { Denial } from "../../model/decision.ts";
import { type BootTime, bootTimeOf } from "../../model/places/boot-times.ts";
import type { Candidate, PolicyResult } from "../../model/policy.ts";
import { durationText, formatTime, parseTime } from "../../model/time.ts";
import type { Provider, WorkloadRequest } from "../../model/workload.ts";
import { denial } from "../check/denial.ts";
import type { DecisionRequest } from "../types.ts";

type Timed = Pick<DecisionRequest, "boots" | "nowSeconds" | "started">;

/** The time that this provider needs until the object is ready. Null without a deadline or a duration: nothing depends on it. */
export function bootOf({ boots }: Timed, workload: WorkloadRequest, provider: Provider): BootTime | null {
  const { kind, deadline, durationSeconds } = workload;
  return deadline === null || durationSeconds === null ? null : bootTimeOf(kind, provider, boots);
}

// Objects with the same answer of the rules share its candidates.
const knownProviders = new WeakMap<readonly Candidate[], readonly Provider[]>();

/** Places are many, providers few. */
function providersOf(candidates: readonly Candidate[]): readonly Provider[] {
  const known = knownProviders.get(candidates);
  if (known !== undefined) return known;
  const providers = [...new Set(candidates.map(({ provider }) => provider))];
  knownProviders.set(candidates, providers);
  return providers;
}

/** The longest boot of these places, in seconds: a start that leaves time for it ends in time in each of them. 0 for what runs. */
export function longestBoot(request: Timed, workload: WorkloadRequest, candidates: readonly Candidate[]): number {
  if (request.started === true) return 0;
  return Math.max(0, ...providersOf(candidates).map((one) => bootOf(request, workload, one)?.seconds ?? 0));
}

/** The earliest start: now, or when the user says. */
const firstStart = ({ nowSeconds }: Timed, { pin }: WorkloadRequest): number => Math.max(pin.start ?? 0, nowSeconds);

/** When a run that starts as early as possible ends at this provider. */
const endAt = (request: Timed, workload: WorkloadRequest, provider: Provider): number =>
  firstStart(request, workload) + (workload.durationSeconds ?? 0) + (bootOf(request, workload, provider)?.seconds ?? 0);

const label = (left: number): string =>
  `time to boot: ${left === 0 ? "none remains" : `${String(left)} remain${left === 1 ? "s" : ""}`}`;

/** The result with the places whose machine is ready early enough for the run to end before its deadline. */
export function withinBoot(request: Timed, workload: WorkloadRequest, result: PolicyResult): PolicyResult {
  const { deadline } = workload;
  if (deadline === null || request.started === true) return result;
  const { candidates, rejected, funnel } = result;
  const late = new Set(providersOf(candidates).filter((provider) => endAt(request, workload, provider) > deadline));
  if (late.size === 0) return result;
  const left = candidates.filter(({ provider }) => !late.has(provider));
  const gone = candidates.filter(({ provider }) => late.has(provider)).map(({ place }) => place);
  return {
    ...result,
    candidates: left,
    rejected: { ...rejected, boot: gone },
    funnel: [...funnel, { rule: "boot", text: label(left.length), remaining: left.length }],
  };
}

/** The denial of an object whose deadline leaves no time to boot in any of these places: what the fastest of them would need. */
export function lateDenial(request: Timed, workload: WorkloadRequest, candidates: readonly Candidate[]): Denial {
  const providers = providersOf(candidates).toSorted(
    (one, other) => endAt(request, workload, one) - endAt(request, workload, other),
  );
  const fastest = providers[0] ?? "elemento";
  const [earliest, start] = [formatTime(endAt(request, workload, fastest)), firstStart(request, workload)];
  const where = { field: "spec.deadline", actual: formatTime(workload.deadline ?? 0), allowed: earliest };
  return denial("ADM_DEADLINE_BOOT", where, {
    provider: fastest,
    boot: durationText(bootOf(request, workload, fastest)?.seconds ?? 0),
    start: formatTime(start),
    duration: durationText(workload.durationSeconds ?? 0),
    earliest,
  });
}

/** When the run was asked for, the first one by the creation of its object: now for a new one, whatever its manifest says. In seconds since 1970. */
export function askedAt({ object, operation, nowSeconds, askedAt: asked }: DecisionRequest): number {
  const created = operation === "CREATE" ? null : parseTime(object.metadata.creationTimestamp ?? "");
  return Math.min(asked ?? created ?? nowSeconds, nowSeconds);
}

/**
 * The latest start by the limits of waiting (the object's, its namespace's, the platform's), in seconds since 1970; undefined if
 * they do not limit it. Only the object's own limit lets an object without a deadline wait.
 */
export function waitsUntil(
  request: DecisionRequest,
  { deadline, maxWaitSeconds: own }: WorkloadRequest,
  { schedule }: Pick<PolicyResult, "schedule">,
): number | undefined {
  const seconds = schedule.maxWaitSeconds ?? null;
  if (seconds === null || (deadline === null && own === null)) return undefined;
  return askedAt(request) + seconds;
}

/** The latest start by deadline, time to boot and limits of waiting, in seconds since 1970; null if the object cannot wait. */
export function latestStart(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: Pick<PolicyResult, "schedule" | "candidates">,
): number | null {
  const { deadline, durationSeconds } = workload;
  const limit = waitsUntil(request, workload, result);
  if (durationSeconds === null || (deadline === null && limit === undefined)) return null;
  const boot = longestBoot(request, workload, result.candidates);
  const byDeadline = deadline === null ? Number.POSITIVE_INFINITY : deadline - durationSeconds - boot;
  return Math.min(byDeadline, limit ?? Number.POSITIVE_INFINITY);
}
