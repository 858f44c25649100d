import type { Decision, Placement } from "../decision.ts";
import { isObject } from "../json.ts";
import type { KubernetesObject } from "../kubernetes.ts";
import { ANNOTATION } from "../names.ts";
import { formatTime } from "../time.ts";
import { type PlaceKey, WRITTEN_FIELDS, type WrittenField } from "../workload.ts";

/** All annotations of an object may have 256 KiB together; a decision that people read is far smaller. */
const LONG_BYTES = 4096;
/** The id comes first, and is the beginning of a SHA-256 in hexadecimal. */
const LEADING_ID = /^\{"id":"([0-9a-f]{1,64})"/;

/** Place and start of a move. */
export interface PlaceAndStart {
  place: PlaceKey;
  /** RFC 3339, UTC. */
  start: string;
}

/** A decision that replaced an earlier one before the start. Part of the decision, so that no one can edit it. */
export interface Move {
  /** RFC 3339, UTC. */
  at: string;
  from: PlaceAndStart;
  to: PlaceAndStart;
  /** Share of carbon saved, by the forecast at the time; negative if it costs more, null if unknown. */
  gain: number | null;
  /** `forecast`, the codes of the rules that the earlier place breaks, or the user's reason for an immediate start. */
  why: string;
}

/** The part that stays on the object: enough to explain the choice and to recognise an unchanged object. */
export interface CompactDecision {
  id: string;
  inputs: string;
  written: WrittenField[];
  placement: Placement;
  /** How the places were narrowed down, as text. */
  why: string[];
  considered: number;
  eligible: number;
  /** Next best places: name, grams of CO2, USD per hour. */
  alternatives: { place: string; gramsCO2: number | null; pricePerHour: number | null }[];
  policy: Decision["policy"];
  degraded: string[];
  /** Whether `krateo.io/paused` is Landfall's own, until the start; false where a pause can only be a person's. Older decisions lack it. */
  held?: boolean;
  /** Moves before its start, newest last; omitted if there were none. */
  moves?: Move[];
  /** The run that was decided in full: the value of `landfall.dev/run`; omitted without it. */
  run?: string;
  /** The release of an earlier object that did not count besides this one, so that this one has to have it; omitted for none. */
  takesOver?: string;
  /** The reason in `landfall.dev/start-now` that stood in the object when this run was asked for: it was written for an earlier run. Omitted for none. */
  pastReason?: string;
  /** When this run was asked for, RFC 3339, UTC: a limit of waiting counts from then. Omitted for the first one, which its object's creation asked for. */
  askedAt?: string;
}

interface Kept {
  decision: Decision;
  placement: Placement;
  held: boolean;
  moves: Move[];
  run?: string;
  takesOver?: string | null;
  pastReason?: string;
  askedAt?: number | undefined;
}

function build(
  { decision, placement, held, moves, run = "", takesOver = null, pastReason = "", askedAt }: Kept,
  alternatives: number,
): CompactDecision {
  return {
    id: decision.id,
    inputs: decision.inputs,
    written: decision.written,
    placement,
    why: decision.candidates.funnel.map((step) => step.text),
    considered: decision.candidates.considered,
    eligible: decision.candidates.eligible,
    alternatives: decision.candidates.best
      .slice(1, 1 + alternatives)
      .map(({ place, gramsCO2, pricePerHour }) => ({ place, gramsCO2, pricePerHour })),
    policy: decision.policy,
    degraded: decision.degraded.map((entry) => entry.code),
    held,
    ...(moves.length === 0 ? {} : { moves }),
    ...(run === "" ? {} : { run }),
    ...(takesOver === null ? {} : { takesOver }),
    ...(pastReason === "" ? {} : { pastReason }),
    ...(askedAt === undefined ? {} : { askedAt: formatTime(askedAt) }),
  };
}

/**
 * The annotation's text. Beyond 4 KiB it omits the alternatives, the reasons and all moves but the last. What remains has no limit of
 * its own: 100 pools with the longest names take up to 4.5 KiB. Its fields have one order, so that equal decisions give equal bytes.
 */
export function compactDecision(kept: Kept): string {
  const full = JSON.stringify(build(kept, 3));
  if (Buffer.byteLength(full) <= LONG_BYTES) return full;
  return JSON.stringify({ ...build({ ...kept, moves: kept.moves.slice(-1) }, 0), why: [] });
}

/** The text of a decision of an object that takes over this release; the same text if it takes over none. */
export const takingOver = (compact: string, takesOver: string | null = null): string =>
  takesOver === null ? compact : JSON.stringify({ ...(JSON.parse(compact) as CompactDecision), takesOver });

const isWritten = (value: unknown): value is WrittenField => (WRITTEN_FIELDS as readonly unknown[]).includes(value);

/** An object with annotations: a VmTemplate or KaasCluster as the API server gives it. */
type Annotated = Pick<KubernetesObject, "metadata">;

/** The annotation as JSON, no matter who wrote it; null if it is missing or not an object. */
function parse({ metadata }: Annotated): Record<string, unknown> | null {
  const text = metadata.annotations?.[ANNOTATION.decision];
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    // An object from before Landfall may have anything here; the validating webhook denies such a text.
    return null;
  }
}

/** The decision on the object; null for anything that `compactDecision` could not have written. Checks no signature. */
export function readDecision(object: Annotated): CompactDecision | null {
  const value = parse(object);
  if (value === null || !isObject(value["placement"]) || typeof value["inputs"] !== "string") return null;
  if (!Array.isArray(value["written"]) || !value["written"].every(isWritten)) return null;
  if (value["moves"] !== undefined && !Array.isArray(value["moves"])) return null;
  return value as unknown as CompactDecision;
}

/** Its decision's id, unchecked and without parsing the annotation, for log lines; undefined without one. */
export const decisionId = ({ metadata }: Annotated): string | undefined =>
  LEADING_ID.exec(metadata.annotations?.[ANNOTATION.decision] ?? "")?.[1];

/** The fields of the decided placement, unchecked: decisions of other versions count as well. Empty if there is none. */
export function readPlacement(object: Annotated): Readonly<Record<string, unknown>> {
  const placement = parse(object)?.["placement"];
  return isObject(placement) ? placement : {};
}

/** Whether admission paused the object until its start; null if its decision does not say so (earlier versions). */
export function readHeld(object: Annotated): boolean | null {
  const held = parse(object)?.["held"];
  return typeof held === "boolean" ? held : null;
}

/** The newest move in the decision; null if there is none. */
export function readLastMove(object: Annotated): Move | null {
  const moves = parse(object)?.["moves"];
  return Array.isArray(moves) ? ((moves as Move[]).at(-1) ?? null) : null;
}

/** The values of a written field. */
export type WrittenValue = string | string[] | Record<string, string | number>;

/** The values that a placement gives the fields which admission writes. */
export function placementFields(placement: Placement): Record<WrittenField, WrittenValue | null> {
  return {
    provider: placement.provider,
    schedulingLocation: placement.region,
    schedulingTime: placement.start,
    instanceType: placement.instanceType,
    zone: placement.zone,
    image: placement.image,
    os: placement.os,
    osDisk: placement.osDisk ?? null,
    kubernetesVersion: placement.cluster?.kubernetesVersion ?? null,
    zones: placement.cluster === undefined || placement.cluster.zones.length === 0 ? null : placement.cluster.zones,
    poolInstanceTypes: placement.cluster?.poolInstanceTypes ?? null,
    whenDone: placement.whenDone ?? null,
    capacityType: placement.capacityType ?? null,
  };
}
