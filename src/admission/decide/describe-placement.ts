import type { CarbonBasis, Degradation, Placement, ScoredCandidate } from "../../model/decision.ts";
import { systemInImage } from "../../model/places/images.ts";
import type { Candidate, PolicyResult } from "../../model/policy.ts";
import { formatTime, HOUR_SECONDS } from "../../model/time.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import { baselineGrams, powerKw } from "../../placement/energy.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import { ForecastCurve } from "../../placement/curves.ts";
import type { DecisionRequest } from "../types.ts";
import { largerThanAsked } from "./counted-size.ts";
import { placeNow } from "./place-workload.ts";
import { bootOf } from "./boot-time.ts";
import { intensityCurves } from "./intensity-curves.ts";
import { note } from "../../model/text/note-codes.ts";

const timeOf = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));
const cents = (value: number): number => Math.round(value * 100) / 100;

/** Hundredths of a gram; ten thousandths below one gram, so that short runs can be compared. */
const rounded = (grams: number | null): number | null => {
  if (grams === null) return null;
  const factor = grams < 1 ? 1e4 : 100;
  return Math.round(grams * factor) / factor;
};

/** The option value of the start and the cost of a day of waiting, in grams; omitted if they are zero. */
function forWaiting({ gramsCO2, netGrams, gramsPerDay }: ScoredPlace): Partial<CarbonBasis> {
  const gramsForWaiting = cents((gramsCO2 ?? 0) - (netGrams ?? 0));
  const waitingGramsPerDay = rounded(gramsPerDay) ?? 0;
  return {
    ...(gramsForWaiting > 0 ? { gramsForWaiting } : {}),
    ...(waitingGramsPerDay > 0 ? { waitingGramsPerDay } : {}),
  };
}

/** The source of the choice's carbon figure; null if its zone has none. */
function carbonBasis(
  request: DecisionRequest,
  chosen: ScoredPlace,
  durationSeconds: number | null,
): CarbonBasis | null {
  const { candidate, start } = chosen;
  const zone = candidate.electricityZone;
  const curve = zone === null ? undefined : intensityCurves(request).get(zone);
  if (zone === null || curve === undefined) return null;
  const { source, issuedAt, until } = curve;
  const counted = forWaiting(chosen);
  const basis = { zone, source, issuedAt: timeOf(issuedAt), until: timeOf(until) };
  const band =
    curve instanceof ForecastCurve && durationSeconds !== null ? curve.bandOver(start, durationSeconds) : null;
  if (band === null || durationSeconds === null) return { ...basis, gramsLow: null, gramsHigh: null, ...counted };
  const kilowattHours = (powerKw(request.policy.catalog.power, candidate) * durationSeconds) / HOUR_SECONDS;
  const [gramsLow, gramsHigh] = [cents(band.low * kilowattHours), cents(band.high * kilowattHours)];
  return { ...basis, gramsLow, gramsHigh, ...counted };
}

/** The fields that only a cluster's placement has. */
function clusterPlacement({ cluster }: Candidate): Pick<Placement, "cluster"> {
  if (cluster === undefined) return {};
  const { kubernetesVersion, zones, pools } = cluster;
  const poolInstanceTypes = Object.fromEntries(pools.map(({ name, instanceType }) => [name, instanceType]));
  const nodes = pools.reduce((sum, pool) => sum + pool.nodes, 0);
  return { cluster: { kubernetesVersion, zones, poolInstanceTypes, nodes } };
}

/** The settings' default disk for a machine that sets none; Elemento has one class of disks. */
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

/** USD of the work in this place, without pauses: of one hour if the object has no duration. Null if no price is published. */
function usdOf(candidate: Candidate | undefined, { durationSeconds }: WorkloadRequest): number | null {
  const { pricePerHour = null } = candidate ?? {};
  const hours = (durationSeconds ?? HOUR_SECONDS) / HOUR_SECONDS;
  return pricePerHour === null ? null : Math.round(pricePerHour * hours * 1e6) / 1e6;
}

/** The price of an immediate start at the origin, with the machine that the origin offers. */
function baselineUsd(workload: WorkloadRequest, { candidates, origin }: PolicyResult): Pick<Placement, "baselineUsd"> {
  const usd = usdOf(
    candidates.find(({ place }) => place === origin),
    workload,
  );
  return usd === null ? {} : { baselineUsd: usd };
}

/** The immediate start that a later one is compared with. */
function atOnce(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: PolicyResult,
  start: number,
): Pick<Placement, "now"> {
  if (start <= request.nowSeconds) return {};
  const best = placeNow(request, workload, result);
  if (best === null) return {};
  const { candidate, gramsCO2 } = best;
  const usd = usdOf(candidate, workload);
  return { now: { place: candidate.place, gramsCO2: rounded(gramsCO2), ...(usd === null ? {} : { usd }) } };
}

/** The option for a run that is over, if the namespace or the platform says it; `keep` goes without saying. */
function whenDoneOf(
  { object }: DecisionRequest,
  { whenDone = "keep" }: PolicyResult["defaults"],
): Pick<Placement, "whenDone"> {
  return object.spec?.["whenDone"] !== undefined || whenDone === "keep" ? {} : { whenDone };
}

function bootField(
  request: DecisionRequest,
  workload: WorkloadRequest,
  { provider }: Candidate,
): Pick<Placement, "boot"> {
  const boot = bootOf(request, workload, provider);
  return boot === null ? {} : { boot };
}

/** The end of the run, and its parts if it pauses. */
function timesOf(
  { start, segments }: ScoredPlace,
  { durationSeconds }: WorkloadRequest,
): Pick<Placement, "end" | "segments"> {
  if (durationSeconds === null) return { end: null };
  if (segments === undefined) return { end: formatTime(start + durationSeconds) };
  return {
    end: formatTime(segments.at(-1)?.end ?? start),
    segments: segments.map((one) => ({ start: formatTime(one.start), end: formatTime(one.end) })),
  };
}

/** The operating system: that of the image, where the user names one alone and its id tells. Charts name the boot disk by it. */
function systemOf({ object }: DecisionRequest, { os }: WorkloadRequest, { defaults }: PolicyResult): string {
  const image = object.spec?.["image"];
  return os ?? (typeof image === "string" ? systemInImage(image) : null) ?? defaults.os;
}

/** The chosen place in the form of the decision. */
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
    ...largerThanAsked(request, workload, candidate),
    image: candidate.image,
    os: request.kind === "KaasCluster" ? null : systemOf(request, workload, result),
    ...diskOf(request, result.defaults, candidate.provider),
    ...whenDoneOf(request, result.defaults),
    ...(candidate.capacity === undefined ? {} : { capacityType: candidate.capacity }),
    start: formatTime(start),
    ...bootField(request, workload, candidate),
    ...timesOf(chosen, workload),
    latencyMs: candidate.latencyMs,
    latencySource: candidate.latencySource,
    pricePerHour: candidate.pricePerHour,
    gramsCO2: rounded(chosen.gramsCO2),
    baselineGramsCO2: rounded(baselineGrams(candidate, origin, catalog.power, run)),
    ...baselineUsd(workload, result),
    ...atOnce(request, workload, result, start),
    carbon: carbonBasis(request, chosen, workload.durationSeconds),
    ...clusterPlacement(candidate),
  };
}

/** One of the best places in the form of the decision. */
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

/** The data that was missing for the chosen place, and its replacement. */
export function degradations(chosen: ScoredPlace): Degradation[] {
  const { candidate, gramsCO2 } = chosen;
  const found: Degradation[] = [];
  if (gramsCO2 === null) {
    found.push(note("CARBON_UNKNOWN", `no carbon intensity is known for ${candidate.place}; it counted as the worst`));
  }
  if (candidate.pricePerHour === null) {
    found.push(note("PRICE_UNKNOWN", `no price is published for ${candidate.instanceType} in ${candidate.place}`));
  }
  if (candidate.latencySource === "estimated") {
    found.push(note("LATENCY_ESTIMATED", `the latency to ${candidate.place} is an upper estimate by distance`));
  }
  return found;
}
