import { inputsHash } from "../../model/decision-annotation/still-holds.ts";
import type { Decision, Degradation, Denial, Placement } from "../../model/decision.ts";
import type { Kind } from "../../model/names.ts";
import type { PolicyResult } from "../../model/policy.ts";
import { sha256 } from "../../model/sha256.ts";
import { formatTime, inWords, parseTime } from "../../model/time.ts";
import {
  placeName,
  type PlaceKey,
  type WorkloadObject,
  WRITTEN_BY_KIND,
  type WrittenField,
} from "../../model/workload.ts";
import { bundleDegradations } from "../check/stale-bundles.ts";
import type { DecisionRequest } from "../types.ts";
import { runHours } from "../../model/runs/run-times.ts";
import { note } from "../../model/text/note-codes.ts";

/** The API server cuts a longer warning. */
const LIMIT = 256;

/** 34, 2.4, 0.051: at least two digits that count. */
function amount(value: number): string {
  if (value >= 10 || value === 0) return value.toFixed(0);
  if (value >= 1) return value.toFixed(1);
  return String(Number(value.toPrecision(2)));
}

function gramsText(grams: number | null): string {
  if (grams === null) return "CO2e unknown";
  return grams >= 10_000 ? `${amount(grams / 1000)} kg` : `${amount(grams)} g`;
}

/** 2026-11-22T03:00Z */
const toMinute = (time: string): string => time.replace(/:\d\dZ$/, "Z");

/** The time of day where it is on the day of `before`. */
const endText = (end: string, before: string): string =>
  end.slice(0, 10) === before.slice(0, 10) ? toMinute(end).slice(11) : toMinute(end);

function priceText(placement: Placement): string {
  const { pricePerHour } = placement;
  const hours = runHours(placement);
  if (pricePerHour === null) return "price unknown";
  if (hours === null) return `${pricePerHour.toFixed(4)} USD/h`;
  const total = pricePerHour * hours;
  return `${total >= 0.01 || total === 0 ? total.toFixed(2) : total.toPrecision(2)} USD`;
}

function startText(start: string, nowSeconds: number): string {
  const wait = (parseTime(start) ?? nowSeconds) - nowSeconds;
  if (wait < 0) return `started ${toMinute(start)}`;
  return `starts ${toMinute(start)} (${wait === 0 ? "now" : `in ${inWords(wait)}`})`;
}

function pausesText({ segments }: Placement): string[] {
  const pauses = (segments?.length ?? 1) - 1;
  return pauses === 0 ? [] : [`${String(pauses)} pause${pauses === 1 ? "" : "s"}`];
}

/** Without a duration, only the limit of its spec ends a run. */
function endingText({ start, end }: Placement, { maxLifetime }: Readonly<Record<string, unknown>>): string {
  if (end !== null) return `ends ${endText(end, start)}`;
  return typeof maxLifetime === "string" ? `ends after maxLifetime ${maxLifetime}` : "no end";
}

/**
 * The decision in one line of at most 256 characters: start, CO2e of the run and that of an immediate start, price,
 * end, place. For an object without a duration, the figures are per hour. `nowSeconds`: the time of the decision.
 */
export function summarise(
  placement: Placement,
  nowSeconds: number,
  spec: Readonly<Record<string, unknown>> = {},
): string {
  const { start, end, gramsCO2, now, baselineGramsCO2 } = placement;
  const rate = end === null ? "/h" : "";
  const carbon = (grams: number | null): string => `${gramsText(grams)}${grams === null ? "" : rate}`;
  const parts = [
    `${startText(start, nowSeconds)}: ${carbon(gramsCO2)}`,
    ...(now === undefined ? [] : [`now in the best place ${carbon(now.gramsCO2)}`]),
    ...(baselineGramsCO2 === null ? [] : [`now at the origin ${carbon(baselineGramsCO2)}`]),
    priceText(placement),
    endingText(placement, spec),
    ...pausesText(placement),
    placeName(placement),
  ];
  return parts.join("; ").slice(0, LIMIT);
}

/** A version that is offered is not another spelling of the one that was written. */
const ifMeant = ({ code }: Denial): string => (code.startsWith("POL_KUBERNETES_") ? "" : " if that is meant");

/** The denial with a name that the object may mean; unchanged without one. */
export const orMeant = (entry: Denial, meant: string | undefined): Denial =>
  meant === undefined ? entry : { ...entry, remedy: `write ${meant}${ifMeant(entry)}, or ${entry.remedy}` };

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
  return [note("FACTS_STALE", message)];
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

/** The spec fields that admission fills: those that the policy names, that a placement has, and that the user omitted. */
export function writtenFields(object: WorkloadObject, result: PolicyResult, kind: Kind): WrittenField[] {
  const spec = object.spec ?? {};
  const kept = (result.defaults.whenDone ?? "keep") === "keep";
  const bought = result.candidates.some(({ capacity }) => capacity !== undefined);
  const own: Partial<Record<WrittenField, boolean>> = { whenDone: !kept, capacityType: bought };
  return WRITTEN_BY_KIND[kind].filter(
    (field) => spec[field] === undefined && (own[field] ?? result.write.includes(field)),
  );
}

/** How the policies and then the budgets narrowed down the places, without the best ones. */
export function narrowed(result: PolicyResult, full: PlaceKey[] = []): DecisionBody["candidates"] {
  const { considered, candidates, funnel, rejected } = result;
  const eligible = candidates.length - full.length;
  if (full.length === 0) return { considered, eligible, funnel, rejected, best: [] };
  const text = `budgets: ${eligible === 0 ? "none remains" : `${String(eligible)} remain${eligible === 1 ? "s" : ""}`}`;
  return {
    considered,
    eligible,
    funnel: [...funnel, { rule: "budget", text, remaining: eligible }],
    rejected: { ...rejected, budget: full },
    best: [],
  };
}
