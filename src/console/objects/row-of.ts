import { type CompactDecision, readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Kind } from "../../model/names.ts";
import { pauseWayOf } from "../../model/runs/pause-rules.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { formatTime, HOUR_SECONDS, parseTime, readTime } from "../../model/time.ts";
import type { Row } from "../contract/rows.ts";
import type { Judgement } from "./read-verdicts.ts";
import { type Counted, countedPart, UNCOUNTED } from "./counted-part.ts";
import { stateOf } from "./state-of.ts";

/** Most characters of a text in a row: the page of the object has the whole. A row is kept for each object. */
const MOST_CHARACTERS = 1000;
/** Most parts of a run in a row. */
const MOST_PARTS = 64;
/** A larger figure is an error or an attack: sums of such figures are not finite, and hide those of all others. */
const MOST = 1e12;

/** The beginning of a long text, as a copy: a slice of it would keep the whole in memory. */
const cut = (text: string): string =>
  text.length > MOST_CHARACTERS ? Buffer.from(`${text.slice(0, MOST_CHARACTERS - 1)}…`).toString() : text;

const textOf = (value: unknown): string | null => (typeof value === "string" ? cut(value) : null);
const figureOf = (value: unknown): number | null =>
  typeof value === "number" && Math.abs(value) <= MOST ? value : null;
/** A time as the console writes it; null for anything else. Who may write an object may write anything there. */
const timeOf = (value: unknown): string | null => {
  const seconds = readTime(value);
  return seconds === null ? null : formatTime(seconds);
};

type Decided = Omit<
  Row,
  | ("kind" | "namespace" | "name" | "uid" | "state" | "reason" | "message" | "since" | "created")
  | ("startsAt" | "endsAt" | "deadline" | "latestStart" | "verdict" | "denial")
  | "pauseWay"
  | keyof Counted
> & { bootSeconds: number; hours: number | null };

const UNDECIDED: Decided = {
  ...{ place: null, instanceType: null, start: null, end: null, grams: null, baselineGrams: null, nowGrams: null },
  ...{
    baselineUsd: null,
    nowUsd: null,
    usdPerHour: null,
    usd: null,
    latencyMs: null,
    latencyEstimated: false,
    decision: null,
  },
  ...{ parts: [], bootSeconds: 0, hours: null },
};

type Parts = Row["parts"];
type Planned = Pick<Row, "start" | "end" | "parts">;
type Shown = Pick<Row, "startsAt" | "endsAt" | "parts">;

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
  value === null || factor === null ? null : figureOf(value * factor);

/** The time to boot that the decision leaves before a deadline; 0 if it says none. */
function bootOf(boot: unknown): number {
  return isObject(boot) ? Math.max(0, figureOf(boot["seconds"]) ?? 0) : 0;
}

/** The start that leaves time for the boot and the run before the deadline. */
function latestStartOf(deadline: string | null, { bootSeconds, hours }: Decided): string | null {
  const end = deadline === null ? null : parseTime(deadline);
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
  const hours = hoursOf({ start, end, parts });
  const usd = times(usdPerHour, hours);
  const whole = end === null ? usdPerHour : usd;
  return {
    place: typeof provider === "string" && typeof region === "string" ? cut(`${provider}/${region}`) : null,
    instanceType: textOf(placement["instanceType"]),
    ...{ start, end, parts: parts.slice(0, MOST_PARTS), hours, grams, usdPerHour },
    bootSeconds: bootOf(placement["boot"]),
    baselineGrams: figureOf(placement["baselineGramsCO2"]),
    nowGrams: isObject(now) ? figureOf(now["gramsCO2"]) : grams,
    baselineUsd: figureOf(placement["baselineUsd"]),
    nowUsd: isObject(now) ? figureOf(now["usd"]) : whole,
    usd,
    latencyMs: figureOf(placement["latencyMs"]),
    latencyEstimated: placement["latencySource"] === "estimated",
    decision: textOf(id),
  };
}

/**
 * When the run is that is shown: the recorded one, unless another one has been decided since. A kept machine runs again without another decision,
 * whose pauses are then not those of the run.
 */
function shownRun({ status = {} }: Resource, decision: CompactDecision | null, { start, end, parts }: Planned): Shown {
  const { run, startsAt: started, endsAt } = status;
  const startsAt = timeOf(started);
  const planned = { startsAt: start, endsAt: end, parts };
  if (!isObject(run) || startsAt === null) return planned;
  const recorded = { startsAt, endsAt: timeOf(endsAt) };
  if (decision === null || run["id"] === (decision.run ?? "")) return { ...recorded, parts };
  return start !== null && startsAt < start ? planned : { ...recorded, parts: [] };
}

/** The row of an object that cannot be shown as others: an error of one must not hide the list. */
function brokenRow({ kind, metadata }: Resource, thrown: unknown): Row {
  const { bootSeconds: _, hours: _hours, ...found } = UNDECIDED;
  return {
    kind: kind as Kind,
    ...{ namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" },
    ...{ state: "failing", reason: "NotReadable", message: cut(`the console cannot show it: ${messageOf(thrown)}`) },
    ...{ since: null, created: metadata.creationTimestamp ?? "" },
    ...{
      ...found,
      ...UNCOUNTED,
      pauseWay: null,
      startsAt: null,
      endsAt: null,
      deadline: null,
      latestStart: null,
      verdict: null,
      denial: "",
    },
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

/** A row with what the last audit says of it. */
export function judgedRow(row: Row, found: Judgement | null): Row {
  const verdict = found?.verdict ?? null;
  const denial = verdict === "deny" ? cut(found?.message ?? "") : "";
  return verdict === row.verdict && denial === row.denial ? row : { ...row, verdict, denial };
}

/** An object as the console's tables show it. */
export function rowOf(object: Resource): Row {
  const { kind, metadata, spec = {} } = object;
  const decision = readDecision(object);
  const deadline = timeOf(spec["deadline"]);
  const told = stateOf(object);
  const { bootSeconds, hours, ...found } = decision === null ? UNDECIDED : decided(decision);
  const run = shownRun(object, decision, found);
  return {
    kind: kind as Kind,
    ...{ namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" },
    ...{ state: told.state, reason: cut(told.reason), message: cut(told.message), since: timeOf(told.since) },
    created: metadata.creationTimestamp ?? "",
    ...{ ...found, ...run, deadline, latestStart: latestStartOf(deadline, { ...found, bootSeconds, hours }) },
    ...countedPart(object),
    ...{ pauseWay: pauseWayOf(spec), verdict: null, denial: "" },
  };
}
