import { describe, ERRORS, type ErrorCode } from "../../errors.ts";
import type { Decision, Degradation, Denial, Placement, ScoredCandidate } from "../../model/decision.ts";
import type { Candidate, PolicyDenial, PolicyResult } from "../../model/policy.ts";
import { sha256 } from "../../model/sha256.ts";
import { formatTime } from "../../model/time.ts";
import type { WorkloadRequest, WrittenField } from "../../model/workload.ts";
import { baselineGrams } from "../../placement/baseline.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import { bundleDegradations } from "../check/stale-bundles.ts";
import { carbonBasis } from "./carbon-basis.ts";
import { inputsHash } from "../../model/decision-annotation/still-holds.ts";
import { intensityCurves } from "./intensity-curves.ts";
import type { DecisionRequest } from "../types.ts";

/** Hundredths of a gram; ten thousandths below one gram, or two short runs could not be told apart. */
const rounded = (grams: number | null): number | null => {
  if (grams === null) return null;
  const factor = grams < 1 ? 1e4 : 100;
  return Math.round(grams * factor) / factor;
};

/** What only a cluster's placement has. */
function clusterPlacement({ cluster }: Candidate): Pick<Placement, "cluster"> {
  if (cluster === undefined) return {};
  const { kubernetesVersion, zones, pools } = cluster;
  const poolInstanceTypes = Object.fromEntries(pools.map(({ name, instanceType }) => [name, instanceType]));
  const nodes = pools.reduce((sum, pool) => sum + pool.nodes, 0);
  return { cluster: { kubernetesVersion, zones, poolInstanceTypes, nodes } };
}

/** The disk that the settings give a machine which asks for none; Elemento has one class of disks. */
function diskOf(
  request: DecisionRequest,
  { osDisk }: PolicyResult["defaults"],
  provider: string,
): Pick<Placement, "osDisk"> {
  if (request.kind === "KaasCluster" || request.object.spec?.["osDisk"] !== undefined) return {};
  const disk: NonNullable<Placement["osDisk"]> = {};
  if (osDisk.sizeGiB !== null) disk.sizeGiB = osDisk.sizeGiB;
  if (osDisk.type !== null && provider !== "elemento") disk.type = osDisk.type;
  return Object.keys(disk).length === 0 ? {} : { osDisk: disk };
}

/** The chosen place as the decision shows it. */
export function toPlacement(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  chosen: ScoredPlace,
): Omit<Placement, "scheduler"> {
  const { candidate, start } = chosen;
  const { catalog } = request.policy;
  const originZone = result.origin === null ? null : (catalog.places[result.origin]?.electricityZone ?? null);
  const origin = originZone === null ? undefined : intensityCurves(request).get(originZone);
  const run = { nowSeconds: request.nowSeconds, durationSeconds: workload.durationSeconds };
  return {
    provider: candidate.provider,
    region: candidate.region,
    zone: candidate.zone,
    instanceType: candidate.instanceType,
    image: candidate.image,
    os: request.kind === "KaasCluster" ? null : (workload.os ?? result.defaults.os),
    ...diskOf(request, result.defaults, candidate.provider),
    start: formatTime(start),
    end: workload.durationSeconds === null ? null : formatTime(start + workload.durationSeconds),
    latencyMs: candidate.latencyMs,
    latencySource: candidate.latencySource,
    pricePerHour: candidate.pricePerHour,
    gramsCO2: rounded(chosen.gramsCO2),
    baselineGramsCO2: rounded(baselineGrams(candidate, origin, catalog.power, run)),
    carbon: carbonBasis(request, chosen, workload.durationSeconds),
    ...clusterPlacement(candidate),
  };
}

/** One of the best places as the decision shows it. */
export function toScored({ candidate, start, gramsCO2, score }: ScoredPlace): ScoredCandidate {
  return {
    place: candidate.place,
    instanceType: candidate.instanceType,
    start: formatTime(start),
    latencyMs: candidate.latencyMs,
    latencySource: candidate.latencySource,
    pricePerHour: candidate.pricePerHour,
    gramsCO2: rounded(gramsCO2),
    score: Math.round(score * 1e4) / 1e4,
  };
}

/** A policy's denial with the registry's remedy where the code is Landfall's own. */
export function withRemedy(entry: PolicyDenial): Denial {
  if (!(entry.code in ERRORS)) return { ...entry, remedy: "ask the platform team about this rule" };
  const { remedy } = describe(entry.code as ErrorCode, {
    field: entry.field ?? "",
    actual: entry.actual ?? "",
    allowed: entry.allowed ?? "",
  });
  return { ...entry, remedy };
}

/** A decision before its id, which is made of the rest. */
export type DecisionBody = Omit<Decision, "id">;

/**
 * The finished decision. Its id is the start of the SHA-256 of everything else but the long lists that follow from it:
 * which places each rule removed, and the dates of the bundle's data.
 */
export function finish(body: DecisionBody): Decision {
  const { candidates, data: _data, ...rest } = body;
  const { rejected: _rejected, ...counts } = candidates;
  return { id: sha256(JSON.stringify([rest, counts])).slice(0, 6), ...body };
}

/** The bundle's figures have dates; what is known of the cluster has a moment. */
function datesOf({ policy, facts }: DecisionRequest): Record<string, string> {
  const { dates } = policy.catalog;
  const images = policy.others.flatMap(({ name, date }) =>
    date === null ? [] : [[`bundle ${name}`, formatTime(date)] as const],
  );
  const known = images.length === 0 ? dates : { ...dates, ...Object.fromEntries(images) };
  return facts === null ? known : { ...known, cluster: formatTime(facts.asOf) };
}

/** The facts are confirmed every few seconds; after this many, something holds them up. */
const STALE_SECONDS = 120;

function staleFacts({ facts, nowSeconds }: DecisionRequest): Degradation[] {
  const age = facts === null ? 0 : nowSeconds - facts.asOf;
  if (facts === null || age <= STALE_SECONDS) return [];
  const message = `quotas and names were checked against the cluster as of ${formatTime(facts.asOf)}, ${String(age)} s ago`;
  return [{ code: "FACTS_STALE", message }];
}

/** The bundles that decided. Where there is only the platform's own, nothing is said of others. */
function policyOf({ digest, revision, others }: DecisionRequest["policy"]): Decision["policy"] {
  if (others.length === 0) return { digest, revision };
  const bundles = others.map((other) => [other.name, { digest: other.digest, revision: other.revision }] as const);
  return { digest, revision, bundles: Object.fromEntries(bundles) };
}

/** A decision that says nothing but what is denied. */
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
    degraded: [...staleFacts(request), ...bundleDegradations(request)],
  };
}

/** What was missing for the chosen place, and what was used instead. */
export function degradations(chosen: ScoredPlace): Degradation[] {
  const { candidate, gramsCO2 } = chosen;
  const found: Degradation[] = [];
  if (gramsCO2 === null) {
    found.push({
      code: "CARBON_UNKNOWN",
      message: `no carbon intensity is known for ${candidate.place}; it counted as the worst`,
    });
  }
  if (candidate.pricePerHour === null) {
    found.push({
      code: "PRICE_UNKNOWN",
      message: `no price is published for ${candidate.instanceType} in ${candidate.place}`,
    });
  }
  if (candidate.latencySource === "estimated") {
    found.push({
      code: "LATENCY_ESTIMATED",
      message: `the latency to ${candidate.place} is an upper estimate by distance`,
    });
  }
  return found;
}
