import type { Decision, Placement } from "../decision.ts";
import { isObject } from "../json.ts";
import type { Move } from "../move.ts";
import { WRITTEN_FIELDS, type WrittenField } from "../workload.ts";

/** An annotation may hold 256 KiB in all; a decision that people read is far smaller. */
const LIMIT_BYTES = 4096;

/** What stays on the object: enough to explain the choice and to recognise an unchanged object. */
export interface CompactDecision {
  id: string;
  inputs: string;
  written: WrittenField[];
  placement: Placement;
  /** How the places were narrowed down, in words. */
  why: string[];
  considered: number;
  eligible: number;
  /** Next best places: name, grams of CO2, USD per hour. */
  alternatives: { place: string; gramsCO2: number | null; pricePerHour: number | null }[];
  policy: Decision["policy"];
  degraded: string[];
  /** Whether `krateo.io/paused` is Landfall's own, until the start; false where a pause can only be a person's. Older decisions lack it. */
  held?: boolean;
  /** How it was moved before its start, the newest last; left out where it never was. */
  moves?: Move[];
}

interface Kept {
  decision: Decision;
  placement: Placement;
  held: boolean;
  moves: Move[];
}

function build({ decision, placement, held, moves }: Kept, alternatives: number): CompactDecision {
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
  };
}

/** The annotation's text, at most 4 KiB. Its fields have one order, so that equal decisions give equal bytes. */
export function compactDecision(kept: Kept): string {
  const full = JSON.stringify(build(kept, 3));
  if (Buffer.byteLength(full) <= LIMIT_BYTES) return full;
  return JSON.stringify({ ...build({ ...kept, moves: kept.moves.slice(-1) }, 0), why: [] });
}

const isWritten = (value: unknown): value is WrittenField => (WRITTEN_FIELDS as readonly unknown[]).includes(value);

/** Reads the annotation back; null for anything that `compactDecision` could not have written. */
export function readCompactDecision(text: string | undefined): CompactDecision | null {
  if (text === undefined) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || !isObject(value["placement"]) || typeof value["inputs"] !== "string") return null;
  if (!Array.isArray(value["written"]) || !value["written"].every(isWritten)) return null;
  return value as unknown as CompactDecision;
}
