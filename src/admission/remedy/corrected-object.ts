import jsonPatch, { type Operation } from "fast-json-patch";
import type { Denial } from "../../model/decision.ts";
import {
  type LikelySpec,
  withEntries,
  type WrittenField,
  writtenBy,
} from "../../model/wrong-value/corrections/likely-spec.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { correctedSpec } from "../check/check-object.ts";
import type { DecisionRequest } from "../types.ts";
import { missingSize, sizesOf } from "./type-sizes.ts";

/** An object with the corrections of its denials. */
export interface Corrected {
  object: WorkloadObject;
  /** The fields that hold examples, or that are omitted because nothing is known of what they mean. */
  guessed: readonly string[];
  isSure: boolean;
  /** The entries of lists that come before those that the user wrote. */
  inFront?: LikelySpec["inFront"];
  /** The fields that the correction of a denial writes. */
  writtenBy: (denial: Denial) => readonly WrittenField[];
}

/** The object with corrections that are all certain; null if one of them is not. */
function surely(object: WorkloadObject, denials: readonly Denial[]): Corrected | null {
  const isKnown = denials.every(({ code, patch = [] }) => code.startsWith("ADM_") && patch.length > 0);
  if (!isKnown) return null;
  const patch = denials.flatMap((one) => one.patch ?? []) as Operation[];
  const { newDocument } = jsonPatch.applyPatch(object, patch, false, false);
  return { object: newDocument, guessed: [], isSure: true, writtenBy: (one) => writtenBy(one.patch) };
}

/** A spec with a size at `spec.cpu` or `spec.nodePools[0].cpu`. */
function withSize(spec: Record<string, unknown>, size: { field: string; value: number }): Record<string, unknown> {
  const path = `/${stepsOf(size.field).join("/")}`;
  const { newDocument } = jsonPatch.applyPatch({ spec }, [{ op: "add", path, value: size.value }]);
  return newDocument.spec;
}

/** The object with the corrections of what its schema refuses, the uncertain ones as well; null if the schema refuses nothing, or it still. */
function likely(request: DecisionRequest, denials: readonly Denial[]): Corrected | null {
  const { kind, object } = request;
  const isOfSchema = denials.every(({ code, field }) => code.startsWith("ADM_") && field?.startsWith("spec") === true);
  const found = isOfSchema ? correctedSpec(kind, object.spec, sizesOf(request)) : null;
  if (found === null || found.written.size === 0) return null;
  const sizes = denials.flatMap((one) => {
    const size = missingSize(request, one);
    return size === null || one.field === null ? [] : [{ field: one.field, value: size.amount }];
  });
  const sized = sizes.reduce(withSize, found.spec as Record<string, unknown>);
  const spec = withEntries(sized, found.inFront) as Record<string, unknown>;
  return {
    object: { ...object, spec },
    inFront: found.inFront,
    guessed: found.guessed.filter((field) => !sizes.some((one) => one.field === field)),
    isSure: false,
    writtenBy: ({ field }) => found.written.get(field ?? "") ?? [],
  };
}

/** Faults of single values, found before the policy is asked. */
const OF_VALUES = /^ADM_(?:FIELDS|CIDR_[A-Z]+|DURATION|TIME)$/;
/** The path of a field, also of one in an item of a list. */
const PLAIN_FIELD = /^spec(?:\.\w{1,60}(?:\[\d{1,3}\](?=\.))?){1,5}$/;

/** The object without fields whose values are wrong and whose corrections are not known; null for other denials. */
export function omitting(object: WorkloadObject, denials: readonly Denial[]): Corrected | null {
  const fields = denials.flatMap(({ field }) => (field !== null && PLAIN_FIELD.test(inMap(field)) ? [field] : []));
  if (fields.length < denials.length || !denials.every(({ code }) => OF_VALUES.test(code))) return null;
  // A default can be at fault as well: what the object does not have is not removed.
  const written = [...new Set(fields.map(inMap))].map(stepsOf).filter((steps) => has(object, steps));
  if (written.length === 0) return null;
  const patch = written.map((steps) => ({ op: "remove" as const, path: `/${steps.join("/")}` }));
  const { newDocument } = jsonPatch.applyPatch(object, patch, false, false);
  return { object: newDocument, guessed: fields, isSure: false, writtenBy: () => [] };
}

/** `[spec, nodePools, 0, cpu]` of `spec.nodePools[0].cpu`. */
const stepsOf = (field: string): string[] => field.replaceAll("]", "").split(/[.[]/);

/** Whether a value is there; the maps and lists around it can be missing. */
function has(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  return typeof value === "object" && value !== null && Object.hasOwn(value, first)
    ? has((value as Record<string, unknown>)[first], rest)
    : false;
}

/** Of a label, the map: its name may have dots. */
const inMap = (field: string): string => /^spec\.nodePools\[\d{1,3}\]\.labels(?=\.)/.exec(field)?.[0] ?? field;

/** The object after the corrections of its denials, as far as they are known; null if none is. */
export const corrected = (request: DecisionRequest, denials: readonly Denial[]): Corrected | null =>
  surely(request.object, denials) ?? likely(request, denials) ?? omitting(request.object, denials);
