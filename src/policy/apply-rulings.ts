import { isObject } from "../model/json.ts";
import type { FunnelStep, PolicyDenial, PolicyInput, PolicyResult, PolicyWarning } from "../model/policy.ts";
import type { Team, TeamRuling } from "./load-team.ts";

const text = (value: unknown, instead: string): string => (typeof value === "string" ? value : instead);

const figure = (value: unknown): string | number | null =>
  typeof value === "string" || typeof value === "number" ? value : null;

/** Codes of Landfall's own: their remedies and meaning are its, and must not be given to what a team says. */
const RESERVED =
  /^(?:ADM|POL|PLACEMENT|BUNDLE|REL|ELEMENTO|GROUP|ACCOUNT|CLI|FORECAST|CATALOG|PRICES|FACTS|TEXT|SCHEDULER|RUN|KOPS|SIM|TOOL|CLUSTER|LOCAL)_|^(?:START_NOW|MOVED|DISK_REMOVED)$/;

const ownCode = (code: string): string => (RESERVED.test(code) && code !== "POL_CUSTOM" ? `TEAM_${code}` : code);

/** As policies/bundle/landfall/additions.rego has it: what is left out is filled in, and whatever a rule denies with denies. */
function denial([name, entry]: [string, unknown], team: string): PolicyDenial {
  const unsaid = `rule ${name} of bundle ${team}`;
  if (typeof entry === "string")
    return { code: "POL_CUSTOM", message: entry, field: null, actual: null, allowed: null, source: team };
  const { code, message, field, actual, allowed } = isObject(entry) ? entry : {};
  return {
    code: ownCode(text(code, "POL_CUSTOM")),
    message: text(message, unsaid),
    field: typeof field === "string" ? field : null,
    actual: figure(actual),
    allowed: figure(allowed),
    source: team,
  };
}

function warning(row: [string, unknown], team: string): PolicyWarning {
  const { code, message } = denial(row, team);
  return { code, message, source: team };
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

/** The result without the places that a team refuses; `offered` are those of the platform's rules alone. */
function withoutRefused(
  result: PolicyResult,
  { team: { name: team }, ruling }: Ruled,
  offered: PolicyResult["candidates"],
  input: PolicyInput,
): PolicyResult {
  const reasons = refusals(ruling);
  if (reasons.size === 0 || offered.length === 0) return result;
  const candidates = result.candidates.filter(({ place }) => !reasons.has(place));
  const gone = offered.flatMap(({ place }) => (reasons.has(place) ? [place] : []));
  const step: FunnelStep = { rule: team, text: `${team}: ${left(candidates.length)}`, remaining: candidates.length };
  const [first = ""] = gone;
  const isPinned = gone.length === 1 && input.request.pin.region !== null;
  // A team that refuses all says so also if another one did before: an update may be new to one of them only.
  const isEmptied =
    result.candidates.length > 0 ? candidates.length === 0 : offered.every((one) => reasons.has(one.place));
  const none = isEmptied ? [{ ...emptied(first, reasons.get(first) ?? "", isPinned, input), source: team }] : [];
  return {
    ...result,
    candidates,
    funnel: [...result.funnel, step],
    rejected: gone.length === 0 ? result.rejected : { ...result.rejected, [team]: gone },
    denials: [...result.denials, ...none],
  };
}

interface Ruled {
  team: Pick<Team, "name">;
  ruling: TeamRuling;
}

const isNone = ({ code }: PolicyDenial): boolean => code === "PLACEMENT_NONE";

/**
 * The platform's result, and what other teams add to it: denials, warnings, places that they refuse. Nothing that the platform
 * denies becomes allowed, and no denial hides another's: that no place remains only comes last. Pure.
 */
export function applyRulings(result: PolicyResult, rulings: readonly Ruled[], input: PolicyInput): PolicyResult {
  const denials = rulings.flatMap(({ team, ruling }) => ruling.denials.map((row) => denial(row, team.name)));
  const warnings = rulings.flatMap(({ team, ruling }) => ruling.warnings.map((row) => warning(row, team.name)));
  const added = { ...result, denials: [...result.denials, ...denials], warnings: [...result.warnings, ...warnings] };
  const sum = rulings.reduce((before, ruled) => withoutRefused(before, ruled, result.candidates, input), added);
  return { ...sum, denials: [...sum.denials.filter((one) => !isNone(one)), ...sum.denials.filter(isNone)] };
}
