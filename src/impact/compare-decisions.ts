import { HOURS_PER_MONTH } from "../model/cluster-data.ts";
import type { Decision, Placement } from "../model/decision.ts";
import { runHours } from "../model/runs/run-times.ts";
import { placeName } from "../model/workload.ts";

/** Changes of an object's decision with a new bundle. */
export const CHANGES = [
  "newly denied",
  "newly allowed",
  "moved",
  "other instance type",
  "other start",
  "none",
] as const;
export type Change = (typeof CHANGES)[number];

/** Costs of a placement: a month of a long-running machine, or one run. */
export interface Costs {
  /** USD, list price; null if it is not published. */
  price: number | null;
  /** Grams of CO2 equivalents; null if the zone has no data. */
  carbon: number | null;
}

export interface Side extends Costs {
  allowed: boolean;
  place: string | null;
  instanceType: string | null;
  start: string | null;
  /** Of the denials. */
  codes: string[];
  message: string | null;
}

export interface Impact {
  object: Decision["object"];
  change: Change;
  before: Side;
  after: Side;
}

/** A long-running machine has price and carbon per hour; a run has carbon for the whole run. */
function costsOf(placement: Placement): Costs {
  const { pricePerHour, gramsCO2 } = placement;
  const times = (value: number | null, factor: number): number | null => (value === null ? null : value * factor);
  const hours = runHours(placement);
  if (hours === null) return { price: times(pricePerHour, HOURS_PER_MONTH), carbon: times(gramsCO2, HOURS_PER_MONTH) };
  return { price: times(pricePerHour, hours), carbon: gramsCO2 };
}

function sideOf({ allowed, placement, denials }: Decision): Side {
  const none = { place: null, instanceType: null, start: null, price: null, carbon: null };
  const codes = denials.map(({ code }) => code);
  const base = { allowed, codes, message: denials[0]?.message ?? null };
  if (placement === null) return { ...base, ...none };
  const { instanceType, start } = placement;
  return { ...base, place: placeName(placement), instanceType, start, ...costsOf(placement) };
}

function changeOf(before: Side, after: Side): Change {
  if (before.allowed !== after.allowed) return after.allowed ? "newly allowed" : "newly denied";
  if (before.place !== after.place) return "moved";
  if (before.instanceType !== after.instanceType) return "other instance type";
  return before.start === after.start ? "none" : "other start";
}

/** Two decisions about the same object at the same moment. Pure. */
export function compareDecisions(old: Decision, fresh: Decision): Impact {
  const [before, after] = [sideOf(old), sideOf(fresh)];
  return { object: fresh.object, change: changeOf(before, after), before, after };
}
