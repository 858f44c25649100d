import type { PolicyWarning } from "../../model/policy.ts";
import type { Denial } from "../../model/decision.ts";
import { bootTimeOf } from "../../model/places/boot-times.ts";
import {
  DAY_SECONDS,
  formatTime,
  formatTimeLike,
  HOUR_SECONDS,
  parseDuration,
  parseTime,
  parseWait,
} from "../../model/time.ts";
import { PROVIDERS, type WorkloadObject, type WorkloadRequest } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";
import { denial, shown, warning } from "./denial.ts";
import { lengthDenial, SCHEMAS, timeDenial } from "./schema-denials.ts";
import { isObject } from "../../model/json.ts";
import { diskNames, pauseWayOf } from "../../model/runs/pause-rules.ts";

/** Times in `spec.interruptible` that are not valid. */
function checkPauseTimes({ spec = {} }: WorkloadObject): Denial[] {
  const { interruptible } = spec;
  if (!isObject(interruptible)) return [];
  return ["minRun", "resumeCost"].flatMap((key) => {
    const actual = interruptible[key];
    const wrong = typeof actual === "string" && parseWait(actual) === null;
    return wrong ? [timeDenial(SCHEMAS.VmTemplate, `/interruptible/${key}`, actual)] : [];
  });
}

/** A deadline a day after the duration, at the whole hour: `deadline: 2026-12-06T00:00:00Z`. */
export function exampleDeadline(nowSeconds: number, durationSeconds: number): string {
  const end = nowSeconds + durationSeconds + DAY_SECONDS;
  return `deadline: ${formatTime(Math.ceil(end / HOUR_SECONDS) * HOUR_SECONDS)}`;
}

const EXAMPLE_HOURS = 6;
const EXAMPLE_DURATION = `duration: ${String(EXAMPLE_HOURS)}h`;

/** Why a run cannot be split, and what to write instead; null if it can. */
function faultOf(
  spec: Record<string, unknown>,
  workload: WorkloadRequest,
  nowSeconds: number,
): [detail: string, instead: string] | null {
  const { pauses, durationSeconds, deadline } = workload;
  if (pauses === undefined) return null;
  const example = exampleDeadline(nowSeconds, durationSeconds ?? EXAMPLE_HOURS * HOUR_SECONDS);
  if (durationSeconds === null && deadline === null)
    return [
      "needs a duration and a deadline: there is no work to split, and no time to pause",
      `add both, for example ${EXAMPLE_DURATION} and ${example}`,
    ];
  if (durationSeconds === null)
    return ["needs a duration: there is no work to split", `add duration, for example ${EXAMPLE_DURATION}`];
  if (deadline === null)
    return ["needs a deadline: without one there is no time to pause", `add ${example}, a day after the duration`];
  const parts = { minRun: pauses.minRunSeconds, resumeCost: pauses.resumeSeconds };
  const long = Object.entries(parts).flatMap(([name, seconds]) => (seconds > durationSeconds ? [`a ${name}`] : []));
  if (long.length === 0) return diskFault(spec);
  const [duration, named] = [shown(spec["duration"]), long.join(" and ")];
  const verb = long.length === 1 ? "is" : "are";
  return [`has ${named} that ${verb} longer than duration ${duration}`, `write ${named} of at most ${duration}`];
}

/** A pause that deletes the machine keeps only what is on disks that stay. */
function diskFault(spec: Record<string, unknown>): [detail: string, instead: string] | null {
  const lost = pauseWayOf(spec) === "recreate" ? diskNames(spec, "delete") : [];
  if (lost.length === 0) return null;
  const detail = `has by: recreate, which deletes the machine in each pause, and the data disk ${lost.join(", ")} does not stay`;
  return [detail, "add deletionPolicy: retain to each data disk, or remove the disk"];
}

/** Problems of a run that may pause, for an object whose times are valid. */
function checkPauses({ spec = {} }: WorkloadObject, workload: WorkloadRequest, nowSeconds: number): Denial[] {
  const fault = faultOf(spec, workload, nowSeconds);
  if (fault === null) return [];
  const [detail, instead] = fault;
  return [denial("ADM_INTERRUPTIBLE", { field: "spec.interruptible" }, { detail, instead })];
}

type Timed = Pick<DecisionRequest, "nowSeconds" | "boots" | "started">;

const DURATIONS = {
  duration: parseDuration,
  maxWait: parseWait,
  maxLifetime: parseDuration,
  keepFailed: parseDuration,
};

function checkDurations({ spec }: WorkloadObject): Denial[] {
  return Object.entries(DURATIONS).flatMap(([key, parse]) => {
    const actual = spec?.[key];
    if (typeof actual !== "string") return [];
    if (parse(actual) === null) return [timeDenial(SCHEMAS.VmTemplate, `/${key}`, actual)];
    return lengthDenial(SCHEMAS.VmTemplate, `/${key}`, actual) ?? [];
  });
}

/** A run that is ended before it is done is never done. */
function checkLifetime({ spec = {} }: WorkloadObject): Denial[] {
  const [limit, duration] = [spec["maxLifetime"], spec["duration"]];
  if (typeof limit !== "string" || typeof duration !== "string") return [];
  if ((parseDuration(limit) ?? 0) >= (parseDuration(duration) ?? 0)) return [];
  return [denial("ADM_LIFETIME_SHORT", { field: "spec.maxLifetime", actual: limit, allowed: duration })];
}

/** 30 February matches the schema's pattern but is not a valid time. */
function checkTimes(object: WorkloadObject, workload: WorkloadRequest): Denial[] {
  const times = { deadline: workload.deadline, schedulingTime: workload.pin.start };
  return Object.entries(times).flatMap(([key, parsed]) => {
    const actual = object.spec?.[key];
    return typeof actual === "string" && parsed === null ? [timeDenial(SCHEMAS.VmTemplate, `/${key}`, actual)] : [];
  });
}

/** The longest boot of the places that the object may use: a time that is long enough for it passes in each of them. 0 without a duration. */
function bootSecondsOf({ kind, durationSeconds, pin }: WorkloadRequest, boots: Timed["boots"]): number {
  if (durationSeconds === null) return 0;
  const providers = PROVIDERS.filter((provider) => pin.provider === null || provider === pin.provider);
  return Math.max(0, ...providers.map((provider) => bootTimeOf(kind, provider, boots).seconds));
}

const tooShort = (actual: string, earliest: string): Denial =>
  denial("ADM_DEADLINE_TOO_SHORT", { field: "spec.deadline", actual, allowed: earliest }, { earliest });

/** A time of the spec as its user wrote it, also with another offset than UTC. */
const written = ({ spec = {} }: WorkloadObject, field: string, seconds: number): string =>
  typeof spec[field] === "string" ? spec[field] : formatTime(seconds);

function checkDeadline(object: WorkloadObject, workload: WorkloadRequest, timed: Timed): Denial | null {
  const { nowSeconds, boots } = timed;
  const { deadline, durationSeconds, pin } = workload;
  if (deadline === null) return null;
  const actual = written(object, "deadline", deadline);
  if (deadline <= nowSeconds) {
    const now = formatTimeLike(nowSeconds, actual);
    return denial("ADM_DEADLINE_PAST", { field: "spec.deadline", actual }, { now });
  }
  const duration = durationSeconds ?? 0;
  const needed = duration + bootSecondsOf(workload, boots);
  if (deadline < nowSeconds + duration) return tooShort(actual, formatTime(nowSeconds + needed));
  if (pin.start === null || pin.start <= deadline - duration) return null;
  const latest = deadline - needed;
  if (latest < nowSeconds) return tooShort(actual, formatTime(nowSeconds + needed));
  const params = { latest: formatTime(latest) };
  const where = {
    field: "spec.schedulingTime",
    actual: written(object, "schedulingTime", pin.start),
    allowed: params.latest,
  };
  return denial("ADM_START_IMPOSSIBLE", where, params);
}

/** A start that is further ahead has another year than was meant. */
const FAR_DAYS = 366;

/** The next time with this day and hour, as its user wrote it but for the year. */
function inAnotherYear(actual: string, nowSeconds: number): string {
  const year = new Date(nowSeconds * 1000).getUTCFullYear();
  const all = [year, year + 1].map((one) => actual.replace(/^\d{4}/, String(one)));
  return all.find((one) => (parseTime(one) ?? 0) > nowSeconds) ?? "";
}

function farWarnings(actual: string, start: number, nowSeconds: number): PolicyWarning[] {
  const days = Math.floor((start - nowSeconds) / DAY_SECONDS);
  const allowed = days < FAR_DAYS ? "" : inAnotherYear(actual, nowSeconds);
  return allowed === "" ? [] : [warning("ADM_START_FAR", { field: "spec.schedulingTime", actual, days, allowed })];
}

/** Times of a new object that do not have the effect that its user may expect. */
export function timeWarnings(object: WorkloadObject, workload: WorkloadRequest, nowSeconds: number): PolicyWarning[] {
  const { deadline, durationSeconds, pin } = workload;
  const fixed = object.spec?.["schedulingTime"] === undefined ? null : pin.start;
  const found: PolicyWarning[] = [];
  if (fixed !== null && fixed < nowSeconds) {
    const actual = written(object, "schedulingTime", fixed);
    found.push(warning("ADM_START_PAST", { field: "spec.schedulingTime", actual }));
  }
  if (fixed !== null) found.push(...farWarnings(written(object, "schedulingTime", fixed), fixed, nowSeconds));
  if (deadline !== null && durationSeconds === null) {
    const start = (fixed ?? 0) > nowSeconds ? "schedulingTime fixes the start" : "the object starts immediately";
    const params = { field: "spec.deadline", actual: written(object, "deadline", deadline), start };
    found.push(warning("ADM_DEADLINE_UNUSED", params));
  }
  return found;
}

/** Problems of the object's times at the time of the request. For a `started` machine, the deadline is not checked again. */
export function checkSchedule(object: WorkloadObject, workload: WorkloadRequest, request: Timed): Denial[] {
  const durations = [...checkDurations(object), ...checkPauseTimes(object)];
  const malformed = [
    ...durations,
    ...(durations.length === 0 ? [...checkLifetime(object), ...checkPauses(object, workload, request.nowSeconds)] : []),
    ...checkTimes(object, workload),
  ];
  if (malformed.length > 0 || request.started === true) return malformed;
  const deadline = checkDeadline(object, workload, request);
  return deadline === null ? [] : [deadline];
}
