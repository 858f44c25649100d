import { beyondAws } from "../check/check-networks.ts";
import { beyondRules } from "../check/check-ports.ts";
import { warning } from "../check/denial.ts";
import type { Denial } from "../../model/decision.ts";
import type { Candidate, LatencyDefault, PolicyResult } from "../../model/policy.ts";
import type { Kind } from "../../model/names.ts";
import type { PlaceKey } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";

/** The result without the places that have no machine now; unchanged if there are none. */
export function elsewhere(result: PolicyResult, without: readonly PlaceKey[] = []): PolicyResult {
  const { candidates, rejected, funnel } = result;
  if (without.length === 0) return result;
  const left = candidates.filter(({ place }) => !without.includes(place));
  const full = candidates.filter(({ place }) => without.includes(place)).map(({ place }) => place);
  const text = `places with machines: ${String(left.length)} remain${left.length === 1 ? "s" : ""}`;
  return {
    ...result,
    candidates: left,
    rejected: { ...rejected, capacity: full },
    funnel: [...funnel, { rule: "capacity", text, remaining: left.length }],
  };
}

/** The denial of what AWS cannot have, for an object whose places are all there. An installed machine keeps the rules that it has. */
export function refusedByAws({ kind, running }: DecisionRequest, spec: Record<string, unknown>): Denial | null {
  if (kind === "KaasCluster") return beyondAws(spec);
  return running === undefined ? beyondRules(spec) : null;
}

/** The part of an object that AWS cannot have, and its name in a decision. */
const BEYOND_AWS = { KaasCluster: ["vpc", "network of the nodes"], VmTemplate: ["rules", "rules of ports"] } as const;

/** The result without places on AWS, for a cluster whose network of nodes no VPC can have, or a machine with more rules than a security group. */
export function withoutAws(result: PolicyResult, kind: Kind): PolicyResult {
  const { candidates, rejected, funnel } = result;
  const left = candidates.filter(({ provider }) => provider !== "aws");
  const onAws = candidates.filter(({ provider }) => provider === "aws").map(({ place }) => place);
  if (onAws.length === 0) return result;
  const [rule, what] = BEYOND_AWS[kind];
  const text = `${what}: ${String(left.length)} remain${left.length === 1 ? "s" : ""}`;
  return {
    ...result,
    candidates: left,
    rejected: { ...rejected, [rule]: onAws },
    funnel: [...funnel, { rule, text, remaining: left.length }],
  };
}

const isNear = ({ latencyMs }: Candidate, { ms }: LatencyDefault): boolean => latencyMs !== null && latencyMs <= ms;

const label = ({ ms, origin }: LatencyDefault, left: number): string =>
  `default maxLatency ${String(ms)} ms from ${origin}: ${String(left)} remain${left === 1 ? "s" : ""}`;

/** The result with every place, and a warning that the default limit of latency does not hold. */
export function beyondDefault(result: PolicyResult): PolicyResult {
  const limit = result.latencyDefault ?? null;
  if (limit === null) return result;
  const told = warning("ADM_LATENCY_DEFAULT", { limit: limit.ms, origin: limit.origin });
  return { ...result, warnings: [...result.warnings, told] };
}

/**
 * The places within the default limit of latency, which the policies set for objects that say nothing of where they may run. It
 * denies nothing: if it leaves no place, it gives way with a warning.
 */
export function withinDefault(result: PolicyResult): PolicyResult {
  const limit = result.latencyDefault ?? null;
  const { candidates, rejected, funnel } = result;
  if (limit === null || candidates.length === 0) return result;
  const near = candidates.filter((candidate) => isNear(candidate, limit));
  if (near.length === 0) return beyondDefault(result);
  const step = { rule: "latencyDefault", text: label(limit, near.length), remaining: near.length };
  const far = candidates.filter((candidate) => !isNear(candidate, limit)).map(({ place }) => place);
  return {
    ...result,
    candidates: near,
    rejected: far.length === 0 ? rejected : { ...rejected, latencyDefault: far },
    funnel: [...funnel, step],
  };
}
