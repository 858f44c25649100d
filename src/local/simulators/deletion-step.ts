import type { ResourceIndex } from "./resource-index.ts";
import type { Left, Lookup, Phase, Refusal, Resource, Subject } from "./types.ts";

const DELETE_SECONDS = 0.3;

export type DeletionStep =
  | { action: "none" }
  | { action: "wait"; milliseconds: number }
  | { action: "tell"; phase: Phase }
  /** `left`: the operator has not found it, so the provider keeps it. */
  | { action: "release"; left?: Left };

/** A text for what uses the resource and so keeps it from being deleted; null for nothing. */
function blockerOf({ resource, family, rule }: Subject, index: Pick<ResourceIndex, "blocker">): string | null {
  if (rule.goesInUse === true) return null;
  return index.blocker(resource, family) ?? rule.heldBy?.(resource) ?? null;
}

/** deletionTimestamp has whole seconds: it may lie up to a second before the moment itself. */
const deletedAt = ({ metadata }: Resource, speed: number): number =>
  Date.parse(metadata.deletionTimestamp ?? "") + (DELETE_SECONDS * 1000) / speed;

/** The operator's next action on a resource that is being deleted. */
export function deletionStep(
  subject: Subject,
  index: Pick<ResourceIndex, "blocker" | "lookup">,
  { nowMs, speed }: { nowMs: number; speed: number },
): DeletionStep {
  const { resource, family, rule } = subject;
  if (!resource.metadata.finalizers?.includes(family.finalizer)) return { action: "none" };
  if (family.keepsOnDelete(resource) || !family.exists(resource)) return { action: "release" };
  const lost = rule.leaves?.(resource, index.lookup) ?? null;
  if (lost !== null) return { action: "release", left: lost };
  const blocker = blockerOf(subject, index);
  if (blocker !== null) return { action: "tell", phase: { name: "blocked", by: blocker } };
  const left = deletedAt(resource, speed) - nowMs;
  return left > 0 ? { action: "wait", milliseconds: left } : { action: "release" };
}

/** The record of a resource that its operator gives up although its provider made it; undefined where it made none. */
export const leftOf = ({ isMade }: Refusal, { resource, rule }: Subject, lookup: Lookup): Left | undefined =>
  isMade === true ? rule.staysAt?.(resource, lookup) : undefined;
