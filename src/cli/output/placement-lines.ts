import type { Colors } from "picocolors/types.js";
import type { Placement, ScoredCandidate } from "../../model/decision.ts";
import { formatGrams } from "../../model/places/intensity.ts";
import { placeName } from "../../model/workload.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { durationText, inWords, parseTime } from "../../model/time.ts";

const grams = (value: number | null): string => (value === null ? "unknown" : formatGrams(value));

/**
 * The savings of the place and of waiting, in grams against an immediate start at the origin. A negative figure is an
 * extra cost. Empty if one of them is unknown.
 */
function savingLines({ gramsCO2, baselineGramsCO2, now, start, end }: Placement, nowSeconds: number): string[] {
  const atOnce = now === undefined ? gramsCO2 : now.gramsCO2;
  if (gramsCO2 === null || atOnce === null) return [];
  const rate = end === null ? " per hour" : "";
  const wait = (parseTime(start) ?? nowSeconds) - nowSeconds;
  const byPlace =
    baselineGramsCO2 === null
      ? []
      : [`${grams(baselineGramsCO2 - atOnce)}${rate} by the place (${grams(baselineGramsCO2)} now at the origin)`];
  const byWaiting =
    now === undefined
      ? []
      : [`${grams(atOnce - gramsCO2)}${rate} by waiting ${inWords(wait)} (${grams(atOnce)} now in ${now.place})`];
  const parts = [...byPlace, ...byWaiting];
  return parts.length === 0 ? [] : [`  saves    ${parts.join(", ")}`];
}

function saving({ gramsCO2, baselineGramsCO2 }: Placement): string {
  if (gramsCO2 === null || baselineGramsCO2 === null || baselineGramsCO2 === 0) return "";
  const percent = Math.round((100 * (gramsCO2 - baselineGramsCO2)) / baselineGramsCO2);
  return ` (${percent > 0 ? "+" : ""}${String(percent)} % against starting now at the origin)`;
}

function startText({ start, end }: Placement, nowSeconds: number): string {
  const wait = (parseTime(start) ?? nowSeconds) - nowSeconds;
  const when = wait > 0 ? `in ${inWords(wait)}` : "now";
  return `${start} (${when})${end === null ? ", long-running" : `, ends ${end}`}`;
}

/** The time that the deadline leaves for the boot. */
const bootLines = ({ boot }: Placement): string[] =>
  boot === undefined ? [] : [`  boot     ${durationText(boot.seconds)} before the work begins (${boot.source})`];

/** When a run pauses; each part after a pause begins with a resume. */
function pauseLines({ segments = [] }: Placement): string[] {
  return segments.slice(1).map(({ start }, at) => `  pauses   ${segments[at]?.end ?? ""} to ${start}`);
}

/** The source of a figure: a forecast with its error band, or climatology. */
function basisLines({ carbon }: Placement): string[] {
  if (carbon === null) return [];
  const { source, issuedAt, zone, gramsLow, gramsHigh, gramsForWaiting, waitingGramsPerDay } = carbon;
  const cost =
    waitingGramsPerDay === undefined ? [] : [`           a day of waiting has to save ${grams(waitingGramsPerDay)}`];
  if (issuedAt === null) return [`           ${zone}: ${source}`, ...cost];
  const band = gramsLow === null || gramsHigh === null ? "" : `, ${grams(gramsLow)} to ${grams(gramsHigh)}`;
  const waiting =
    gramsForWaiting === undefined
      ? []
      : [`           counts as ${grams(gramsForWaiting)} less: it is decided again until its start`];
  return [`           ${zone}: forecast ${source} of ${issuedAt}${band}`, ...waiting, ...cost];
}

export function latencyText({
  latencyMs,
  latencySource,
}: Pick<ScoredCandidate, "latencyMs" | "latencySource">): string {
  return latencyMs === null ? "unknown" : `${String(latencyMs)} ms ${latencySource ?? ""}`.trim();
}

function priceText(placement: Placement): string {
  const { pricePerHour } = placement;
  if (pricePerHour === null) return "unknown";
  const hours = runHours(placement);
  const run = hours === null ? "" : `, ${(pricePerHour * hours).toFixed(2)} USD for the run`;
  return `${pricePerHour.toFixed(4)} USD/h${run}`;
}

/** The machine's type, or a cluster's pools with the types of their nodes. */
function machinesText({ instanceType, cluster, size }: Placement): string {
  if (cluster === undefined) return instanceType;
  const pools = Object.entries(cluster.poolInstanceTypes).map(([pool, type]) => `${pool} ${type}`);
  const nodes = `${String(cluster.nodes)} ${cluster.nodes === 1 ? "node" : "nodes"}`;
  // It has a price of its own where the cluster can grow: a pool from 0 to 10 nodes counts as 5.
  const middle = size?.pricePerHour === undefined ? "" : ", the middle of min and max";
  return `Kubernetes ${cluster.kubernetesVersion}, ${nodes} expected${middle}: ${pools.join(", ")}`;
}

/** A placement as lines for a terminal; `nowSeconds` in seconds since 1970. */
export function placementLines(placement: Placement, nowSeconds: number, colors: Colors): string[] {
  const zones = placement.cluster?.zones ?? (placement.zone === null ? [] : [placement.zone]);
  const zone = zones.length === 0 ? "" : ` (${zones.join(", ")})`;
  const perHour = placement.end === null ? " per hour" : "";
  return [
    `  place    ${colors.bold(placeName(placement))}${zone}  ${machinesText(placement)}`,
    `  start    ${startText(placement, nowSeconds)}`,
    ...bootLines(placement),
    ...pauseLines(placement),
    `  carbon   ${grams(placement.gramsCO2)}${perHour}${saving(placement)}`,
    ...basisLines(placement),
    ...savingLines(placement, nowSeconds),
    `  price    ${priceText(placement)}`,
    `  latency  ${latencyText(placement)}`,
  ];
}
