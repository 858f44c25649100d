import { conditionsOf } from "../../../model/conditions.ts";
import type { Move } from "../../../model/decision-annotation/compact-decision.ts";
import { isObject } from "../../../model/json.ts";
import { DAY_SECONDS, parseTime } from "../../../model/time.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import type { Change } from "../change.ts";
import { listOf } from "./rendered/compare.ts";

/** Why another size or place was taken, as moves record it: with the type, or the place, that there was no machine of. */
export const NO_CAPACITY = "no capacity: ";

/** The types or places of which there was no machine in the last day. */
export function exhausted(moves: readonly Move[] = [], nowSeconds: number): string[] {
  const recent = moves.filter(({ at }) => nowSeconds - (parseTime(at) ?? 0) < DAY_SECONDS);
  return recent.flatMap(({ why }) => (why.startsWith(NO_CAPACITY) ? [why.slice(NO_CAPACITY.length)] : []));
}

/**
 * Whether the object has no machine now that a change could meet, because its provider has none for it. The record of its run says that
 * it has none, since others can write a status.
 */
export function lacksMachine({ update, context }: Pick<Change, "update" | "context">): boolean {
  const { status } = update.oldObject;
  const ready = conditionsOf(isObject(status) ? { status } : {}).find(({ type }) => type === "Ready");
  const isSoldOut = ready?.status === "False" && ready.reason === "ProviderCapacity";
  return isSoldOut && context.owners.lacksMachine(update.oldObject);
}

/** The reason why such a run has to stay in its place; null if there is none. A data disk stays where it is, or is lost. */
export function boundBy({ spec = {} }: WorkloadObject): string | null {
  if (listOf(spec["disks"]).length > 0) return "it has data disks there";
  const network = isObject(spec["network"]) ? spec["network"] : {};
  return network["existing"] === undefined ? null : "its network is there";
}
