import { ANNOTATION } from "../names.ts";
import type { WorkloadObject, WrittenField } from "../workload.ts";
import { type CompactDecision, readDecision } from "./compact-decision.ts";
import { HELD_BY_USER, holdReason, writtenReason } from "./pause.ts";

/** The object without these fields of its spec. */
export function withoutFields(object: WorkloadObject, fields: readonly (WrittenField | "global")[]): WorkloadObject {
  const dropped = new Set<string>(fields);
  const spec = Object.fromEntries(Object.entries(object.spec ?? {}).filter(([key]) => !dropped.has(key)));
  return { ...object, spec };
}

/**
 * The annotations without those that admission wrote: decision, signature, and a pause until the start. A reason to start now that the decision names as
 * past goes with the decision: without it, it would count again.
 */
function withoutWritten(object: WorkloadObject, decision: CompactDecision | null): Record<string, string> {
  const { held, pastReason } = decision ?? {};
  const written = new Set<string>([ANNOTATION.decision, ANNOTATION.seal]);
  // Next to Landfall's pause, a user's own one has the annotation `hold`; then the pause itself stays.
  if (held === true && holdReason(object) !== HELD_BY_USER) written.add(ANNOTATION.paused);
  if (pastReason !== undefined && writtenReason(object) === pastReason) written.add(ANNOTATION.startNow);
  return Object.fromEntries(Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !written.has(key)));
}

/**
 * The object as its user wrote it: without the annotations and the spec fields that admission wrote, and without the
 * `global` that a controller adds. `keepFields` keeps the spec, to check the object's present place.
 */
export function stripDecision(object: WorkloadObject, { keepFields = false } = {}): WorkloadObject {
  const decision = readDecision(object);
  const metadata = { ...object.metadata, annotations: withoutWritten(object, decision) };
  const stripped = { ...object, metadata };
  return keepFields ? stripped : withoutFields(stripped, ["global", ...(decision?.written ?? [])]);
}

/** A stored object as it could be created again: as its user wrote it, and without the report that its last run is over. */
export function asNew(object: WorkloadObject, options: { keepFields?: boolean } = {}): WorkloadObject {
  const stripped = stripDecision(object, options);
  const { [ANNOTATION.completed]: _completed, ...annotations } = stripped.metadata.annotations ?? {};
  return { ...stripped, metadata: { ...stripped.metadata, annotations } };
}

/** The roles that Landfall's annotations on an object have for admission. */
interface Role {
  /** Policies do not see it: Landfall wrote it, or it would differ between two requests for the same workload. */
  hidden?: true;
  /** A change of it may change the decision. */
  decides?: true;
}

const ROLES: Record<Exclude<keyof typeof ANNOTATION, "awaits" | "outlives">, Role> = {
  decision: { hidden: true, decides: true },
  seal: { hidden: true, decides: true },
  paused: { hidden: true, decides: true },
  hold: { hidden: true },
  started: { hidden: true },
  confirm: { hidden: true },
  door: { hidden: true },
  bundleExpires: { hidden: true },
  reevaluate: { decides: true },
  startNow: { decides: true },
  run: { decides: true },
  allowMove: {},
  renamePool: {},
  repair: {},
  completed: {},
};

const named = (has: keyof Role): string[] =>
  Object.entries(ROLES).flatMap(([key, role]) => (role[has] ? [ANNOTATION[key as keyof typeof ROLES]] : []));

/** Written by kubectl; it repeats the object. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const HIDDEN = new Set([...named("hidden"), LAST_APPLIED]);

/** Annotations whose change may change the decision. */
export const DECIDING: readonly string[] = named("decides");

/** The annotations that describe the workload: what policies see. */
export const describing = (annotations: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !HIDDEN.has(key)));
