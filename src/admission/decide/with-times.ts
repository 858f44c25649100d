import type { Denial } from "../../model/decision.ts";
import { formatTime, formatTimeLike, HOUR_SECONDS, parseDuration, parseTime } from "../../model/time.ts";
import { assignment, flow, wanted } from "../../model/wrong-value/explain-value.ts";
import type { Kind } from "../../model/names.ts";
import { byAlias } from "../../model/wrong-value/read/read-within.ts";
import { nodeAt } from "../../model/wrong-value/schema-node.ts";
import { nextTime, windowIn } from "../../model/wrong-value/texts/next-time.ts";
import { readDuration, readTime } from "../../model/wrong-value/texts/read-time.ts";
import { zoneIn } from "../../model/wrong-value/texts/zones.ts";
import { isObject } from "../../model/json.ts";
import { correctedSpec } from "../check/check-object.ts";
import { sizesOf } from "../remedy/type-sizes.ts";
import { exampleDeadline } from "../check/check-times.ts";
import { SCHEMAS } from "../check/schema-denials.ts";
import type { DecisionRequest } from "../types.ts";

type Fields = Readonly<Record<string, unknown>>;

const TIMES = ["deadline", "schedulingTime"];

/** The times of an object's run, and that of the request. */
interface Run {
  now: number;
  durationSeconds: number;
  /** Null for none. */
  deadline: number | null;
  start: number | null;
  /** The zone that the object names next to its times. */
  zone: string | undefined;
}

/** A time of an object, also one that lacks its zone and one in words; null for none. A time of day is not before `least`. */
function timeIn(text: unknown, { now, zone }: Pick<Run, "now" | "zone">, least = now): number | null {
  if (typeof text !== "string") return null;
  const meant = parseTime(text) === null ? readTime(text, zone)?.value : text;
  return (typeof meant === "string" ? parseTime(meant) : null) ?? nextTime(text, now, zone, least)?.seconds ?? null;
}

const isMissing = ({ duration, deadline, schedulingTime }: Fields): boolean =>
  [duration, deadline, schedulingTime].includes(undefined);

/** The times that stand in an object by another name, also those that its schema does not take: `notBefore: "22:00"`. */
function byOtherNames(kind: Kind, own: Fields): Fields {
  const found = Object.entries(own).map(([name, value]) => [byAlias(SCHEMAS[kind], name, value) ?? "", value] as const);
  return Object.fromEntries(found.filter(([name]) => TIMES.includes(name)));
}

/** The run of an object, with fields that stand there by another name. */
function runOf(request: DecisionRequest): Run {
  const { kind, object, nowSeconds: now } = request;
  const own: Fields = object.spec ?? {};
  const corrected = isMissing(own) ? correctedSpec(kind, own, sizesOf(request))?.spec : undefined;
  const spec: Fields = { ...byOtherNames(kind, own), ...(isObject(corrected) ? corrected : {}), ...own };
  const duration = typeof spec["duration"] === "string" ? readDuration(spec["duration"])?.value : undefined;
  const zone = zoneIn(own);
  const durationSeconds = typeof duration === "string" ? (parseDuration(duration) ?? 0) : 0;
  const start = timeIn(spec["schedulingTime"], { now, zone });
  const deadline = timeIn(spec["deadline"], { now, zone }, leastEnd({ now, start, durationSeconds }));
  return { now, zone, durationSeconds, deadline, start };
}

type Begin = Pick<Run, "now" | "start" | "durationSeconds">;

/** The first whole hour that is at least an hour away. */
const soon = (now: number): number => Math.ceil(now / HOUR_SECONDS + 1) * HOUR_SECONDS;

/** The earliest time at which the run can begin. */
const earliest = ({ now, start }: Pick<Run, "now" | "start">): number => Math.max(now, start ?? now);

/** The earliest end of the run that leaves time to apply again, and to boot. */
const leastEnd = (run: Begin): number => soon(earliest(run)) + run.durationSeconds;

/** Whether the run can be between now and its deadline with this start or deadline. */
function fits(name: string, seconds: number, run: Run): boolean {
  const { durationSeconds, deadline } = run;
  if (name === "deadline") return seconds >= leastEnd(run);
  return seconds + durationSeconds <= (deadline ?? Infinity);
}

const lateDeadline = (run: Run): string => exampleDeadline(earliest(run), run.durationSeconds);

/** The correction of a time in words that need a clock; null for others. */
function inClock(name: string, text: string, run: Run): string | null {
  const next = nextTime(text, run.now, run.zone, name === "deadline" ? leastEnd(run) : run.now);
  if (next === null) return name === "deadline" ? null : inWindow(text, run);
  if (fits(name, next.seconds, run)) return `write ${name}: ${next.text}, ${next.what}`;
  if (name === "deadline") return `write a time after the end of the duration, e.g. ${lateDeadline(run)}`;
  return fits(name, soon(run.now), run)
    ? `write a time after which the duration ends before the deadline, e.g. ${name}: ${formatTime(soon(run.now))}`
    : null;
}

/** The fields of a window of two times of day, of which the end can be on the next day; null for another text. */
function inWindow(text: string, run: Run): string | null {
  const [first, last] = windowIn(text) ?? [];
  const start = first === undefined ? null : nextTime(first, run.now, run.zone);
  const begun = { ...run, start: start?.seconds ?? null };
  const end = last === undefined ? null : nextTime(last, run.now, run.zone, leastEnd(begun));
  if (start === null || end === null) return null;
  const zone = run.zone ?? "UTC";
  return `write schedulingTime: ${start.text} and deadline: ${end.text}, the next such times in ${zone}; no field repeats them`;
}

/** A time that an object can have now, in place of the fixed one in its schema; null for none. */
function exampleOf(name: string, run: Run): string | null {
  if (name === "deadline") return lateDeadline(run);
  return fits(name, soon(run.now), run) ? `${name}: ${formatTime(soon(run.now))}` : null;
}

/** `deadline: 2026-12-31T18:00:00Z`, as the schema has it. */
const fixedExample = (name: string): string =>
  assignment(`/${name}`, nodeAt(SCHEMAS.VmTemplate, `/${name}`).examples?.[0]);

/** Whether a remedy's time is that of the schema, and not one that is read from the user's text. */
const isOfSchema = (name: string, remedy: string): boolean =>
  remedy.replace(/, or remove the line$/, "") ===
    `write ${wanted(`/${name}`, nodeAt(SCHEMAS.VmTemplate, `/${name}`))}` ||
  new RegExp(`\\b${name}\\b[^;]*(?:is an example|are examples)$`).test(remedy);

/** No start is early enough for the deadline, which has a denial of its own. */
const NO_START = "omit schedulingTime: no start is early enough for the deadline";

/** A correction with times that lie ahead in place of the schema's examples. */
const withExamples = (remedy: string, runAt: () => Run): string =>
  TIMES.reduce((text, name) => {
    if (!isOfSchema(name, text)) return text;
    const example = exampleOf(name, runAt());
    return example === null ? NO_START : text.replace(fixedExample(name), example);
  }, remedy);

/** The correction of a text in `schedulingTime` or `deadline`; a time that is read from the text stays. */
function ofText(name: string, text: string, remedy: string, runAt: () => Run): string {
  const run = runAt();
  const meant = readTime(text, run.zone)?.value;
  const isRead = typeof meant === "string" && remedy.includes(meant);
  if (name === "deadline" && isRead && /^\d{4}-\d{2}-\d{2}$/.test(text.trim())) return remedy + atMidnight(meant, run);
  return inClock(name, text, run) ?? (isRead ? remedy : withExamples(remedy, runAt));
}

/** The end of the correction of a day as the deadline of a run that its midnight would end: nothing where the run is done before. */
function atMidnight(meant: string, run: Run): string {
  const midnight = parseTime(meant.replace(/T.{8}/, "T00:00:00")) ?? Infinity;
  const end = earliest(run) + run.durationSeconds;
  return run.durationSeconds === 0 || end <= midnight
    ? ""
    : `; 00:00 of that day is too early, as the run is done at ${formatTimeLike(end, meant)}`;
}

/** The next start of a schedule that no field repeats. */
function ofSchedule(text: string, remedy: string, runAt: () => Run): string {
  const run = remedy.endsWith(ONE_START) ? runAt() : null;
  const window = run === null ? null : inWindow(text, run);
  if (window !== null) return window;
  const next = run === null ? null : nextTime(text, run.now, run.zone);
  return run === null || next === null || !fits("schedulingTime", next.seconds, run)
    ? remedy
    : `${remedy}, e.g. schedulingTime: ${next.text}, ${next.what}`;
}
const ONE_START = "; schedulingTime fixes one start";

/** The value that a denial is about, also a map below spec. */
function textAt({ object: { spec = {} } }: DecisionRequest, { field, actual }: Denial): string {
  const value = spec[field?.replace("spec.", "") ?? ""];
  return isObject(value) ? flow(value) : String(actual);
}

/** A denial with a time to write that lies ahead: texts of schemas have no clock. */
export function withTimes(request: DecisionRequest, entry: Denial): Denial {
  const { code, field, actual, remedy } = entry;
  if (!code.startsWith("ADM_")) return entry;
  const own = TIMES.find((name) => field === `spec.${name}` || isOfSchema(name, remedy));
  // Only corrections of times need it.
  const runAt = (): Run => runOf(request);
  const changed =
    own !== undefined && typeof actual === "string"
      ? ofText(own, actual, remedy, runAt)
      : ofSchedule(textAt(request, entry), withExamples(remedy, runAt), runAt);
  return changed === remedy ? entry : { ...entry, remedy: changed };
}
