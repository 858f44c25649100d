import type { Family, KindRule, Phase, Resource } from "./types.ts";

const DELETE_SECONDS = 0.3;

export type DeletionStep =
  | { action: "none" }
  | { action: "wait"; milliseconds: number }
  | { action: "tell"; phase: Phase }
  | { action: "release" };

/** The operator's next action on a resource that is being deleted; `blocker` names a resource that still uses it. */
export function deletionStep(
  { resource, family, rule }: { resource: Resource; family: Family; rule: KindRule },
  blocker: string | null,
  { nowMs, speed }: { nowMs: number; speed: number },
): DeletionStep {
  if (!resource.metadata.finalizers?.includes(family.finalizer)) return { action: "none" };
  if (family.keepsOnDelete(resource) || !family.exists(resource)) return { action: "release" };
  if (blocker !== null && rule.goesInUse !== true) return { action: "tell", phase: { name: "blocked", by: blocker } };
  const asked = Date.parse(resource.metadata.deletionTimestamp ?? "");
  // deletionTimestamp has whole seconds: it may lie up to a second before the moment itself.
  const left = asked + (DELETE_SECONDS * 1000) / speed - nowMs;
  return left > 0 ? { action: "wait", milliseconds: left } : { action: "release" };
}
