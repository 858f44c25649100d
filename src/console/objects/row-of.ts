import { type CompactDecision, readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Kind } from "../../model/names.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { formatTime, HOUR_SECONDS, parseTime } from "../../model/time.ts";
import type { Row } from "../contract/rows.ts";
import { stateOf } from "./state-of.ts";

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
const figureOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
/** A time as the console writes it; null for anything else. Who may write an object may write anything there. */
const timeOf = (value: unknown): string | null => {
  const seconds = typeof value === "string" ? parseTime(value) : null;
  return seconds === null ? null : formatTime(seconds);
};

type Decided = Omit<
  Row,
  | ("kind" | "namespace" | "name" | "uid" | "state" | "reason" | "message" | "since" | "created")
  | ("deadline" | "latestStart" | "verdict")
> & { bootSeconds: number };

const UNDECIDED: Decided = {
  ...{ place: null, instanceType: null, start: null, end: null, grams: null, baselineGrams: null, nowGrams: null },
  ...{ usdPerHour: null, usd: null, latencyMs: null, latencyEstimated: false, decision: null },
  ...{ parts: [], bootSeconds: 0 },
};

type Parts = Row["parts"];

/** The parts of a run that pauses; null for one that does not. */
function partsOf(value: unknown): Parts | null {
  if (!Array.isArray(value) || !value.every(isObject)) return null;
  const parts = value.map((part) => ({ start: timeOf(part["start"]), end: timeOf(part["end"]) }));
  return parts.every(({ start, end }) => start !== null && end !== null) ? (parts as Parts) : null;
}

/** Hours in which the machine of a run is on; null if it has no end. */
function hoursOf({ start, end, parts }: Pick<Decided, "start" | "end" | "parts">): number | null {
  return start === null ? null : runHours({ start, end, ...(parts.length === 0 ? {} : { segments: parts }) });
}

const times = (value: number | null, factor: number | null): number | null =>
  value === null || factor === null ? null : value * factor;

/** The time to boot that the decision leaves before a deadline; 0 if it says none. */
function bootOf(boot: unknown): number {
  return isObject(boot) ? Math.max(0, figureOf(boot["seconds"]) ?? 0) : 0;
}

/** The start that leaves time for the boot and the run before the deadline. */
function latestStartOf(deadline: string | null, { bootSeconds, ...decided }: Decided): string | null {
  const [end, hours] = [deadline === null ? null : parseTime(deadline), hoursOf(decided)];
  return end === null || hours === null ? null : formatTime(Math.floor(end - hours * HOUR_SECONDS - bootSeconds));
}

/** The figures of a decision, unchecked: other versions lack some, and a user can write any text there. */
function decided({ id, placement: given }: CompactDecision): Decided {
  const placement = given as unknown as Record<string, unknown>;
  const { provider, region, now } = placement;
  const [start, end] = [timeOf(placement["start"]), timeOf(placement["end"])];
  const usdPerHour = figureOf(placement["pricePerHour"]);
  const grams = figureOf(placement["gramsCO2"]);
  const parts = partsOf(placement["segments"]) ?? [];
  return {
    place: typeof provider === "string" && typeof region === "string" ? `${provider}/${region}` : null,
    instanceType: textOf(placement["instanceType"]),
    ...{ start, end, parts, grams, usdPerHour, bootSeconds: bootOf(placement["boot"]) },
    baselineGrams: figureOf(placement["baselineGramsCO2"]),
    nowGrams: isObject(now) ? figureOf(now["gramsCO2"]) : grams,
    usd: times(usdPerHour, hoursOf({ start, end, parts })),
    latencyMs: figureOf(placement["latencyMs"]),
    latencyEstimated: placement["latencySource"] === "estimated",
    decision: textOf(id),
  };
}

/** The row of an object that cannot be shown as others: an error of one must not hide the list. */
function brokenRow({ kind, metadata }: Resource, thrown: unknown): Row {
  const { bootSeconds: _, ...found } = UNDECIDED;
  return {
    kind: kind as Kind,
    ...{ namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" },
    ...{ state: "failing", reason: "NotReadable", message: `the console cannot show it: ${messageOf(thrown)}` },
    ...{ since: null, created: metadata.creationTimestamp ?? "" },
    ...{ ...found, deadline: null, latestStart: null, verdict: null },
  };
}

/** The row of any object, however it is written. Never throws. */
export function anyRowOf(object: Resource): Row {
  try {
    return rowOf(object);
  } catch (thrown) {
    return brokenRow(object, thrown);
  }
}

/** An object as the console's tables show it. `verdict`: what a report says about it. */
export function rowOf(object: Resource, verdict: Row["verdict"] = null): Row {
  const { kind, metadata, spec = {} } = object;
  const decision = readDecision(object);
  const deadline = timeOf(spec["deadline"]);
  const told = stateOf(object);
  const { bootSeconds, ...found } = decision === null ? UNDECIDED : decided(decision);
  return {
    kind: kind as Kind,
    ...{ namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" },
    ...{ ...told, since: timeOf(told.since) },
    created: metadata.creationTimestamp ?? "",
    ...{ ...found, deadline, latestStart: latestStartOf(deadline, { ...found, bootSeconds }), verdict },
  };
}
