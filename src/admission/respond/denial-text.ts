import type { Decision, Degradation, Denial } from "../../model/decision.ts";
import type { MessageTemplates } from "../../model/message-templates.ts";
import { wholeText } from "./message-templates.ts";

/** kubectl prints the whole on one screen; the first line alone has to be enough to act on. */
const LIMIT = 600;

const clip = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit - 1)}…`);

function footer(decision: Decision): string {
  const codes = [...new Set(decision.denials.map((entry) => entry.code))].join(", ");
  const digest = decision.policy.digest.replace(/^(sha256:.{8}).*$/, "$1…");
  return `[${codes}, decision ${decision.id}, bundle ${digest}]`;
}

function firstLine(first: Denial): string {
  // What would pass, where it is known, stands on a line of its own and replaces the registry's general advice.
  return first.code === "PLACEMENT_NONE" || first.patch !== undefined
    ? first.message
    : `${first.message}; ${first.remedy}`;
}

/** The built-in text: what is wrong, how the places were narrowed down, what would pass, the codes. */
function builtIn(decision: Decision): string {
  const [first, ...others] = decision.denials;
  if (first === undefined) return "";
  const funnel = decision.candidates.funnel.filter((step) => step.text !== "").map((step) => step.text);
  const remedies = decision.denials.flatMap((entry) => (entry.patch === undefined ? [] : [entry.remedy]));
  const lines = [
    firstLine(first),
    ...others.map((other) => `  also: ${other.message}`),
    ...(first.code === "PLACEMENT_NONE" && funnel.length > 0 ? [`  ${funnel.join(" · ")}`] : []),
    ...(remedies.length > 0 ? [`  passes with: ${remedies.join(", or ")}`] : []),
  ];
  const end = footer(decision);
  return `${clip(lines.join("\n"), LIMIT - end.length - 3)}\n  ${end}`;
}

/** The denial as kubectl shows it, in the bundle's own words where it has any, and what was wrong with those. */
export function denialText(
  decision: Decision,
  texts: MessageTemplates | null,
): { text: string; degraded: Degradation[] } {
  const { text, degraded } = wholeText(decision, texts);
  return { text: text === null ? builtIn(decision) : clip(text, LIMIT), degraded };
}
