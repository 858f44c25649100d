import { isObject } from "../model/json.ts";
import type { FunnelStep, PolicyDenial, PolicyInput, PolicyResult, PolicyWarning } from "../model/policy.ts";
import type { Team, TeamRuling } from "./load-team.ts";

const text = (value: unknown, instead: string): string => (typeof value === "string" ? value : instead);

const figure = (value: unknown): string | number | null =>
  typeof value === "string" || typeof value === "number" ? value : null;

/** As policies/bundle/landfall/additions.rego has it: what is left out is filled in, and whatever a rule denies with denies. */
function denial([name, entry]: [string, unknown], team: string): PolicyDenial {
  const unsaid = `rule ${name} of bundle ${team}`;
  if (typeof entry === "string")
    return { code: "POL_CUSTOM", message: entry, field: null, actual: null, allowed: null, source: team };
  const { code, message, field, actual, allowed } = isObject(entry) ? entry : {};
  return {
    code: text(code, "POL_CUSTOM"),
    message: text(message, unsaid),
    field: typeof field === "string" ? field : null,
    actual: figure(actual),
    allowed: figure(allowed),
    source: team,
  };
}

function warning(row: [string, unknown], team: string): PolicyWarning {
  const { code, message } = denial(row, team);
  return { code, message };
}

/** Why nothing is left: the reason where the object itself leaves one place, as the platform's own rules say it. */
function emptied(
  place: string,
  reason: string,
  pinned: boolean,
  { request }: PolicyInput,
): Omit<PolicyDenial, "source"> {
  if (pinned)
    return {
      code: "POL_PLACE_REFUSED",
      message: `${place}: ${reason}`,
      field: "spec.schedulingLocation",
      actual: place,
      allowed: null,
    };
  const noun = request.kind === "KaasCluster" ? "cluster" : "VM";
  return {
    code: "PLACEMENT_NONE",
    message: `no region can run this ${noun}`,
    field: null,
    actual: null,
    allowed: null,
  };
}

function refusals({ refused }: TeamRuling): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const [name, place, reason] of [...refused].sort())
    if (!reasons.has(place)) reasons.set(place, `${text(reason, "refused")} (${name})`);
  return reasons;
}

const left = (count: number): string =>
  count === 0 ? "none remains" : `${String(count)} ${count === 1 ? "remains" : "remain"}`;

/** The result without the places that a team refuses. */
function withoutRefused(result: PolicyResult, ruling: TeamRuling, team: string, input: PolicyInput): PolicyResult {
  const reasons = refusals(ruling);
  if (reasons.size === 0 || result.candidates.length === 0) return result;
  const candidates = result.candidates.filter(({ place }) => !reasons.has(place));
  const gone = result.candidates.flatMap(({ place }) => (reasons.has(place) ? [place] : []));
  const step: FunnelStep = { rule: team, text: `${team}: ${left(candidates.length)}`, remaining: candidates.length };
  const [first = ""] = gone;
  const isPinned = gone.length === 1 && input.request.pin.region !== null;
  const none =
    candidates.length === 0 ? [{ ...emptied(first, reasons.get(first) ?? "", isPinned, input), source: team }] : [];
  return {
    ...result,
    candidates,
    funnel: [...result.funnel, step],
    rejected: gone.length === 0 ? result.rejected : { ...result.rejected, [team]: gone },
    // What other rules deny is the better reason.
    denials: result.denials.length > 0 ? result.denials : none,
  };
}

/**
 * The platform's result, and what other teams add to it: denials, warnings, places that they refuse. Nothing that the platform
 * denies becomes allowed. Pure.
 */
export function applyRulings(
  result: PolicyResult,
  rulings: readonly { team: Pick<Team, "name">; ruling: TeamRuling }[],
  input: PolicyInput,
): PolicyResult {
  const denials = rulings.flatMap(({ team, ruling }) => ruling.denials.map((row) => denial(row, team.name)));
  const warnings = rulings.flatMap(({ team, ruling }) => ruling.warnings.map((row) => warning(row, team.name)));
  const added = {
    ...result,
    denials: [...result.denials.filter(({ code }) => denials.length === 0 || code !== "PLACEMENT_NONE"), ...denials],
    warnings: [...result.warnings, ...warnings],
  };
  return rulings.reduce((sum, { team, ruling }) => withoutRefused(sum, ruling, team.name, input), added);
}
