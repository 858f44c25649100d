import { isObject, stringOf } from "../../model/json.ts";
import type { Resource } from "../types.ts";

/** The composition that a release was installed for, as the release's own values name it. */
export interface ReleaseOwner {
  uid: string;
  kind: string;
  namespace: string;
  name: string;
}

/** The owner of a release, seen from one composition. A namesake is the same composition before it was restored from a backup. */
export type Claim = "own" | "namesake" | "foreign";

/** Reads the owner from `global` of the values of a release; null if no composition controller installed it. */
export function ownerIn(values: Record<string, unknown>): ReleaseOwner | null {
  const global = isObject(values["global"]) ? values["global"] : {};
  const uid = stringOf(global["compositionId"]);
  if (uid === "") return null;
  return {
    uid,
    kind: stringOf(global["compositionKind"]),
    namespace: stringOf(global["compositionNamespace"]),
    name: stringOf(global["compositionName"]),
  };
}

/** The place in the values of a release: `provider/region`. */
export const placeIn = (values: Record<string, unknown>): string =>
  `${stringOf(values["provider"])}/${stringOf(values["schedulingLocation"])}`;

/**
 * Relates `owner` to the composition. An owner with the same kind, namespace and name but another uid no longer exists:
 * the composition is that object, restored.
 */
export function claimOf(owner: ReleaseOwner | null, { kind, metadata }: Resource): Claim {
  if (owner === null) return "foreign";
  if (owner.uid === metadata.uid) return "own";
  const same = owner.kind === kind && owner.namespace === metadata.namespace && owner.name === metadata.name;
  return same ? "namesake" : "foreign";
}

/** For a message. */
export const describeOwner = (owner: ReleaseOwner | null): string =>
  owner === null ? "no composition" : `${owner.kind} ${owner.namespace}/${owner.name}`;

/** Whether what a release with these values installs stays at the provider when it is removed. */
export const retainsIn = (values: Record<string, unknown>): boolean => values["deletionPolicy"] === "retain";
