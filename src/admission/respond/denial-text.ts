import type { Decision, Degradation, Denial } from "../../model/decision.ts";
import { withSource } from "../check/denial.ts";
import type { MessageTemplates, Rendered } from "../../model/policy.ts";
import type { Cause } from "../types.ts";
import { note } from "../../model/text/note-codes.ts";

/** Codes of what is wrong with an object alone, whatever the policy says. */
const INVALID: readonly string[] = [
  ...["ADM_SCHEMA", "ADM_FIELDS", "ADM_DURATION", "ADM_TIME", "ADM_METADATA", "ADM_NAME_TOO_LONG"],
  ...["ADM_POOL_TWICE", "ADM_POOL_SIZE", "ADM_POOL_TYPES", "ADM_CIDR_OVERLAP", "ADM_CIDR_SMALL"],
];

/** Whether the object is refused for what it says, and not for what is allowed here. */
const isInvalid = ({ code }: Denial): boolean => INVALID.includes(code);

/** The end of the message of a required field that is not there. */
const MISSING = "is missing";

function causeOf({ code, field, message, remedy }: Denial): Cause {
  const said =
    field !== null && message.startsWith(field) ? message.slice(field.length).replace(/^:?\s*/, "") : message;
  return {
    reason: said === MISSING ? "FieldValueRequired" : "FieldValueInvalid",
    field: field ?? "spec",
    message: `${said}; ${remedy} [${code}]`,
  };
}

/** Values for templates besides the denial's own fields. */
type About = Pick<Decision, "object">;

const brokenText = (name: string, detail: string): Degradation =>
  note("TEXT_BROKEN", `the bundle's text ${name} is broken and the built-in one is used: ${detail}`);

/** A template's text if it could be filled; problems go to `degraded`. */
function textOf(rendered: Rendered, name: string, degraded: Degradation[]): string | null {
  if (rendered === null) return null;
  if ("text" in rendered) return rendered.text;
  degraded.push(brokenText(name, rendered.broken));
  return null;
}

function reworded(denial: Denial, { object }: About, texts: MessageTemplates, degraded: Degradation[]): Denial {
  const { code, field, actual, allowed, message, remedy } = denial;
  const values = { code, field, actual, allowed, message, remedy, object };
  const say = (part: "message" | "remedy"): string | null => {
    const name = `denials.${code}.${part}`;
    return textOf(texts.render(name, values), name, degraded);
  };
  return { ...denial, message: say("message") ?? message, remedy: say("remedy") ?? remedy };
}

export interface Worded {
  denials: Denial[];
  /** Templates that could not be used. */
  degraded: Degradation[];
}

/** Denials with the bundle's templates for their codes. */
export function fillTemplates(denials: Denial[], about: About, texts: MessageTemplates | null): Worded {
  const degraded: Degradation[] = [];
  if (texts === null) return { denials, degraded };
  return { denials: denials.map((denial) => reworded(denial, about, texts, degraded)), degraded };
}

/** The whole text of a denied decision from the bundle's template; null if there is none. */
function fillWholeTemplate(
  decision: Decision,
  texts: MessageTemplates | null,
): { text: string | null; degraded: Degradation[] } {
  const degraded: Degradation[] = [];
  const [first, ...others] = decision.denials;
  if (texts === null || first === undefined) return { text: null, degraded };
  const { id, object, denials, policy, candidates } = decision;
  const codes = [...new Set(denials.map(({ code }) => code))].join(", ");
  const funnel = candidates.funnel.map(({ text }) => text).filter((text) => text !== "");
  const passesWith = denials.flatMap(({ patch, remedy }) => (patch === undefined ? [] : [remedy]));
  const values = { id, object, denials, first, others, codes, funnel, passesWith, bundle: policy.digest };
  return { text: textOf(texts.render("denial", values), "denial", degraded), degraded };
}

/** kubectl prints the whole text on one screen; the first line alone must be enough to act on. */
const LIMIT = 600;
/** Faults of the object or of its namespace's settings have their corrections. */
const FAULT_LIMIT = 1600;
/** More causes would hide the first ones. */
const MOST_FAULTS = 8;

const clip = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit - 1)}…`);

const withCorrection = (denial: Denial): string => `${withSource(denial)}; ${denial.remedy}`;

/** Whether something is written wrongly, in the object or in a setting of its namespace. Its message has the correction. */
const isFault = (denial: Denial): boolean => isInvalid(denial) || denial.field?.startsWith("namespace ") === true;

const isMissing = ({ message }: Denial): boolean => message.endsWith(MISSING);

/** Faults in the order of their report: where they are too many, required fields that are missing come first. */
const inOrder = (faults: readonly Denial[]): Denial[] =>
  faults.length <= MOST_FAULTS
    ? [...faults]
    : [...faults.filter(isMissing), ...faults.filter((one) => !isMissing(one))];

/** The last line of a message without all its lines. */
const more = (count: number): string =>
  count === 0 ? "" : `and ${String(count)} more: \`landfall explain -f FILE\` lists all`;

/** Characters of a line that say something without the rest. */
const LEAST = 80;

/** The lines that fit, the last one perhaps in part, and how many are omitted. */
function fitting(lines: readonly string[], limit: number, most = Infinity): { told: string[]; left: number } {
  const told: string[] = [];
  let room = limit - more(999).length;
  for (const line of lines.slice(0, most)) {
    if (room < Math.min(line.length, LEAST)) break;
    told.push(clip(line, room));
    room -= line.length + 1;
  }
  return { told, left: lines.length - told.length };
}

/** The causes of a denial that says what is wrong with the object, and perhaps what is after its correction; undefined for any other. */
function causesOf(denials: readonly Denial[]): Cause[] | undefined {
  if (!denials.some(isInvalid)) return undefined;
  const all = inOrder(denials);
  const { told, left } = fitting(all.map(withCorrection), FAULT_LIMIT, MOST_FAULTS);
  const causes = all.slice(0, told.length).map(causeOf);
  return left === 0 ? causes : [...causes, { reason: "FieldValueInvalid", field: "spec", message: more(left) }];
}

function footer(decision: Decision): string {
  const codes = [...new Set(decision.denials.map((entry) => entry.code))].join(", ");
  const digest = decision.policy.digest.replace(/^(sha256:.{8}).*$/, "$1…");
  return `[${codes}, decision ${decision.id}, bundle ${digest}]`;
}

function firstLine(first: Denial): string {
  // A known change that passes has its own line and replaces the registry's general advice.
  return first.code === "PLACEMENT_NONE" || first.patch !== undefined
    ? withSource(first)
    : `${withSource(first)}; ${first.remedy}`;
}

/** How the places were narrowed down, and what would pass. */
function restOf({ denials, candidates }: Decision, first: Denial): string[] {
  const funnel = candidates.funnel.filter((step) => step.text !== "").map((step) => step.text);
  const remedies = denials.filter(({ patch }) => patch !== undefined).map(({ remedy }) => remedy);
  return [
    ...(first.code === "PLACEMENT_NONE" && funnel.length > 0 ? [`  ${funnel.join(" · ")}`] : []),
    ...(remedies.length > 0 ? [`  passes with: ${remedies.join(", or ")}`] : []),
  ];
}

/** The built-in text: the problem, how the places were narrowed down, what would pass, the codes. */
function builtIn(decision: Decision): string {
  // A denial next to a fault was found on the corrected object, and has its correction as well.
  const areFaults = decision.denials.every(isFault) || decision.denials.some(isInvalid);
  const [first, ...others] = areFaults ? inOrder(decision.denials) : decision.denials;
  if (first === undefined) return "";
  // A rule's denial is the better reason.
  const also = others.filter(({ code }) => code !== "PLACEMENT_NONE");
  const say = areFaults ? withCorrection : withSource;
  const problems = [areFaults ? say(first) : firstLine(first), ...also.map((other) => `  also: ${say(other)}`)];
  const end = footer(decision);
  const limit = (areFaults ? FAULT_LIMIT : LIMIT) - end.length - 3;
  const { told, left } = fitting(problems, limit, areFaults ? MOST_FAULTS : undefined);
  const rest = areFaults ? [] : restOf(decision, first);
  const lines = [...told, ...(left === 0 ? rest : [`  ${more(left)}`])];
  return `${clip(lines.join("\n"), limit)}\n  ${end}`;
}

/**
 * The denial as kubectl shows it, from the bundle's templates if it has any, and their problems. The causes are omitted where
 * the bundle has a template of the whole text: kubectl would print them instead of it.
 */
export function denialText(
  decision: Decision,
  texts: MessageTemplates | null,
): { text: string; causes: Cause[] | undefined; degraded: Degradation[] } {
  const { text, degraded } = fillWholeTemplate(decision, texts);
  return text === null
    ? { text: builtIn(decision), causes: causesOf(decision.denials), degraded }
    : { text: clip(text, LIMIT), causes: undefined, degraded };
}
