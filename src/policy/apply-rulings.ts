import type { FunnelStep, PolicyDenial, PolicyInput, PolicyResult } from "../model/policy.ts";
import type { Team } from "./load-team.ts";
import type { TeamRuling } from "./read-ruling.ts";

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

const left = (count: number): string =>
  count === 0 ? "none remains" : `${String(count)} ${count === 1 ? "remains" : "remain"}`;

/** The result without the places that a team refuses; `offered` are those of the platform's rules alone. */
function withoutRefused(
  result: PolicyResult,
  { team: { name: team }, ruling: { refused: reasons } }: Ruled,
  offered: PolicyResult["candidates"],
  input: PolicyInput,
): PolicyResult {
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
  const denials = rulings.flatMap(({ ruling }) => ruling.denials);
  const warnings = rulings.flatMap(({ ruling }) => ruling.warnings);
  const added = { ...result, denials: [...result.denials, ...denials], warnings: [...result.warnings, ...warnings] };
  const sum = rulings.reduce((before, ruled) => withoutRefused(before, ruled, result.candidates, input), added);
  return { ...sum, denials: [...sum.denials.filter((one) => !isNone(one)), ...sum.denials.filter(isNone)] };
}
