import { ANNOTATION } from "../names.ts";

/** What Landfall's annotations on an object are to admission. */
interface Role {
  /** Policies do not see it: Landfall wrote it, or it would differ between two requests for the same workload. */
  hidden?: true;
  /** A change of it may change the decision. */
  decides?: true;
}

const ROLES: Record<Exclude<keyof typeof ANNOTATION, "awaits">, Role> = {
  decision: { hidden: true, decides: true },
  seal: { hidden: true, decides: true },
  paused: { hidden: true, decides: true },
  hold: { hidden: true },
  started: { hidden: true },
  confirm: { hidden: true },
  door: { hidden: true },
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
