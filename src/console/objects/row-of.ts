import { type CompactDecision, readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Kind } from "../../model/names.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { formatTime, parseTime } from "../../model/time.ts";
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
  "kind" | "namespace" | "name" | "uid" | "state" | "reason" | "message" | "created" | "deadline" | "verdict"
>;

const UNDECIDED: Decided = {
  ...{ place: null, instanceType: null, start: null, end: null, grams: null, baselineGrams: null, nowGrams: null },
  ...{ usdPerHour: null, usd: null, latencyMs: null, latencyEstimated: false, decision: null },
};

type Parts = { start: string; end: string }[];

/** The parts of a run that pauses; null for one that does not. */
function partsOf(value: unknown): Parts | null {
  if (!Array.isArray(value) || !value.every(isObject)) return null;
  const parts = value.map((part) => ({ start: timeOf(part["start"]), end: timeOf(part["end"]) }));
  return parts.every(({ start, end }) => start !== null && end !== null) ? (parts as Parts) : null;
}

/** USD of a run; null if it has no end, or the price is not known. */
function usdOf(usdPerHour: number | null, start: string | null, end: string | null, segments: unknown): number | null {
  if (usdPerHour === null || start === null) return null;
  const parts = partsOf(segments);
  const hours = runHours({ start, end, ...(parts === null ? {} : { segments: parts }) });
  return hours === null ? null : usdPerHour * hours;
}

/** The figures of a decision, unchecked: other versions lack some, and a user can write any text there. */
function decided({ id, placement: given }: CompactDecision): Decided {
  const placement = given as unknown as Record<string, unknown>;
  const { provider, region, now } = placement;
  const [start, end] = [timeOf(placement["start"]), timeOf(placement["end"])];
  const usdPerHour = figureOf(placement["pricePerHour"]);
  const grams = figureOf(placement["gramsCO2"]);
  return {
    place: typeof provider === "string" && typeof region === "string" ? `${provider}/${region}` : null,
    instanceType: textOf(placement["instanceType"]),
    ...{ start, end, grams, usdPerHour },
    baselineGrams: figureOf(placement["baselineGramsCO2"]),
    nowGrams: isObject(now) ? figureOf(now["gramsCO2"]) : grams,
    usd: usdOf(usdPerHour, start, end, placement["segments"]),
    latencyMs: figureOf(placement["latencyMs"]),
    latencyEstimated: placement["latencySource"] === "estimated",
    decision: textOf(id),
  };
}

/** An object as the console's tables show it. `verdict`: what a report says about it. */
export function rowOf(object: Resource, verdict: Row["verdict"] = null): Row {
  const { kind, metadata, spec = {} } = object;
  const decision = readDecision(object);
  return {
    kind: kind as Kind,
    ...{ namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" },
    ...stateOf(object),
    created: metadata.creationTimestamp ?? "",
    ...(decision === null ? UNDECIDED : decided(decision)),
    deadline: timeOf(spec["deadline"]),
    verdict,
  };
}
