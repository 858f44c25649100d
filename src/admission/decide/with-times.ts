import type { Denial } from "../../model/decision.ts";
import { formatTime, HOUR_SECONDS, parseDuration, parseTime } from "../../model/time.ts";
import { assignment, wanted } from "../../model/wrong-value/explain-value.ts";
import { nodeAt } from "../../model/wrong-value/schema-node.ts";
import { nextTime } from "../../model/wrong-value/texts/next-time.ts";
import { readTime } from "../../model/wrong-value/texts/read-time.ts";
import { exampleDeadline } from "../check/check-times.ts";
import { SCHEMAS } from "../check/schema-denials.ts";
import type { DecisionRequest } from "../types.ts";

type Fields = Readonly<Record<string, unknown>>;

const secondsOf = ({ duration }: Fields): number => (typeof duration === "string" ? (parseDuration(duration) ?? 0) : 0);

/** The deadline of an object, also one that lacks its zone; null for none. */
function deadlineOf({ deadline }: Fields): number | null {
  if (typeof deadline !== "string") return null;
  const meant = parseTime(deadline) === null ? readTime(deadline)?.value : deadline;
  return typeof meant === "string" ? parseTime(meant) : null;
}

/** The first whole hour that is at least an hour away. */
const soon = (now: number): number => Math.ceil(now / HOUR_SECONDS + 1) * HOUR_SECONDS;

/** Whether the run can be between now and its deadline with this start or deadline. */
function fits(name: string, seconds: number, spec: Fields, now: number): boolean {
  if (name === "deadline") return seconds >= soon(now) + secondsOf(spec);
  return seconds + secondsOf(spec) <= (deadlineOf(spec) ?? Infinity);
}

/** The correction of a time in words that need a clock; null for others. */
function inClock(name: string, text: string, spec: Fields, now: number): string | null {
  const next = nextTime(text, now);
  if (next === null) return null;
  if (fits(name, next.seconds, spec, now)) return `write ${name}: ${formatTime(next.seconds)}, ${next.what}`;
  if (name === "deadline")
    return `write a time after the end of the duration, e.g. ${exampleDeadline(now, secondsOf(spec))}`;
  return fits(name, soon(now), spec, now)
    ? `write a time after which the duration ends before the deadline, e.g. ${name}: ${formatTime(soon(now))}`
    : null;
}

/** A time that an object can have now, in place of the fixed one in its schema. */
function exampleOf(name: string, spec: Fields, now: number): string | null {
  if (name === "deadline") return exampleDeadline(now, secondsOf(spec));
  return fits(name, soon(now), spec, now) ? `${name}: ${formatTime(soon(now))}` : null;
}

const TIMES = ["deadline", "schedulingTime"];

/** `deadline: 2026-12-31T18:00:00Z`, as the schema has it. */
const fixedExample = (name: string): string =>
  assignment(`/${name}`, nodeAt(SCHEMAS.VmTemplate, `/${name}`).examples?.[0]);

/** Whether a remedy's time is that of the schema, and not one that is read from the user's text. */
const isOfSchema = (name: string, remedy: string): boolean =>
  remedy.replace(/, or remove the line$/, "") ===
    `write ${wanted(`/${name}`, nodeAt(SCHEMAS.VmTemplate, `/${name}`))}` ||
  new RegExp(`\\b${name}\\b[^;]*(?:is an example|are examples)$`).test(remedy);

/** A correction with times that lie ahead in place of the schema's examples. */
const withExamples = (remedy: string, spec: Fields, now: number): string =>
  TIMES.reduce((text, name) => {
    const example = isOfSchema(name, text) ? exampleOf(name, spec, now) : null;
    return example === null ? text : text.replace(fixedExample(name), example);
  }, remedy);

/** The correction of a text in `schedulingTime` or `deadline`; a time that is read from the text stays. */
function ofText(name: string, text: string, remedy: string, { spec, now }: { spec: Fields; now: number }): string {
  const meant = readTime(text)?.value;
  const isRead = typeof meant === "string" && remedy.includes(meant);
  return inClock(name, text, spec, now) ?? (isRead ? remedy : withExamples(remedy, spec, now));
}

/** A denial with a time to write that lies ahead: texts of schemas have no clock. */
export function withTimes({ object, nowSeconds: now }: DecisionRequest, entry: Denial): Denial {
  const { code, field, actual, remedy } = entry;
  if (!code.startsWith("ADM_")) return entry;
  const spec = object.spec ?? {};
  const own = TIMES.find((name) => field === `spec.${name}`);
  const changed =
    own !== undefined && typeof actual === "string"
      ? ofText(own, actual, remedy, { spec, now })
      : withExamples(remedy, spec, now);
  return changed === remedy ? entry : { ...entry, remedy: changed };
}
