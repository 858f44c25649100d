import { describe, ERRORS, type ErrorCode } from "../../errors.ts";
import { inputsHash } from "../../model/decision-annotation/still-holds.ts";
import type { Decision, Degradation, Denial } from "../../model/decision.ts";
import type { PolicyDenial } from "../../model/policy.ts";
import { sha256 } from "../../model/sha256.ts";
import { formatTime } from "../../model/time.ts";
import type { WrittenField } from "../../model/workload.ts";
import { bundleDegradations } from "../check/stale-bundles.ts";
import type { DecisionRequest } from "../types.ts";

/** The object itself cannot ask for less than one object. */
const FULL = "delete an object that you no longer need, or ask the platform team for a larger quota";

/** A policy's denial with the registry's remedy if the code is Landfall's own. */
export function withRemedy(entry: PolicyDenial): Denial {
  const team = entry.source;
  // Of what comes of a team's rules, only the texts about places are Landfall's own.
  if (team !== undefined && !/^(?:PLACEMENT_NONE|POL_PLACE_REFUSED)$/.test(entry.code))
    return { ...entry, remedy: `ask the team of bundle ${team} about this rule` };
  if (!(entry.code in ERRORS)) return { ...entry, remedy: "ask the platform team about this rule" };
  if (entry.code === "POL_QUOTA" && entry.field === "metadata.namespace") return { ...entry, remedy: FULL };
  const { remedy } = describe(entry.code as ErrorCode, {
    field: entry.field ?? "",
    actual: entry.actual ?? "",
    allowed: entry.allowed ?? "",
  });
  return { ...entry, remedy };
}

/** The denial with a name that the object may mean; unchanged without one. */
export const orMeant = (entry: Denial, meant: string | undefined): Denial =>
  meant === undefined ? entry : { ...entry, remedy: `write ${meant} if that is meant, or ${entry.remedy}` };

/** A decision without its id, which is derived from the rest. */
export type DecisionBody = Omit<Decision, "id">;

/**
 * The finished decision. Its id is a prefix of the SHA-256 of everything but derived long lists: the places that each
 * rule removed, and the dates of the bundle's data.
 */
export function finish(body: DecisionBody): Decision {
  const { candidates, data: _data, ...rest } = body;
  const { rejected: _rejected, ...counts } = candidates;
  return { id: sha256(JSON.stringify([rest, counts])).slice(0, 6), ...body };
}

/** The dates of the bundle's data, and the time of the cluster's data. */
function datesOf({ policy, relatedWorkloads }: DecisionRequest): Record<string, string> {
  const { dates } = policy.catalog;
  const images = policy.others.flatMap(({ name, date }) =>
    date === null ? [] : [[`bundle ${name}`, formatTime(date)] as const],
  );
  const known = images.length === 0 ? dates : { ...dates, ...Object.fromEntries(images) };
  return relatedWorkloads === null ? known : { ...known, cluster: formatTime(relatedWorkloads.asOf) };
}

/** The cluster's data is confirmed every few seconds; after this many, updates are delayed. */
const STALE_SECONDS = 120;

function staleClusterData({ relatedWorkloads, nowSeconds }: DecisionRequest): Degradation[] {
  const age = relatedWorkloads === null ? 0 : nowSeconds - relatedWorkloads.asOf;
  if (relatedWorkloads === null || age <= STALE_SECONDS) return [];
  const message = `quotas and names were checked against the cluster as of ${formatTime(relatedWorkloads.asOf)}, ${String(age)} s ago`;
  return [{ code: "FACTS_STALE", message }];
}

/** The bundles that decided. `others` is omitted if there is only the platform's own. */
function policyOf({ digest, revision, others }: DecisionRequest["policy"]): Decision["policy"] {
  if (others.length === 0) return { digest, revision };
  const bundles = others.map((other) => [other.name, { digest: other.digest, revision: other.revision }] as const);
  return { digest, revision, bundles: Object.fromEntries(bundles) };
}

/** A decision that contains only denials. */
export function emptyBody(request: DecisionRequest, denials: Denial[], written: WrittenField[] = []): DecisionBody {
  const { metadata, kind } = request.object;
  const { policy } = request;
  return {
    object: { kind, name: metadata.name ?? metadata.generateName ?? "", namespace: metadata.namespace ?? "default" },
    allowed: false,
    denials,
    warnings: [],
    placement: null,
    candidates: { considered: 0, eligible: 0, funnel: [], rejected: {}, best: [] },
    written,
    inputs: inputsHash(request.object, written),
    policy: policyOf(policy),
    data: datesOf(request),
    degraded: [...staleClusterData(request), ...bundleDegradations(request)],
  };
}
