import { conditionsOf } from "../../../model/conditions.ts";
import type { Move } from "../../../model/decision-annotation/compact-decision.ts";
import { isObject } from "../../../model/json.ts";
import { pauseWayOf } from "../../../model/runs/pause-rules.ts";
import { DAY_SECONDS, parseTime } from "../../../model/time.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import { listOf } from "./rendered/compare.ts";

/** Why another size or place was taken, as moves record it: with the type, or the place, that there was no machine of. */
export const NO_CAPACITY = "no capacity: ";

/** The types or places of which there was no machine in the last day. */
export function exhausted(moves: readonly Move[] = [], nowSeconds: number): string[] {
  const recent = moves.filter(({ at }) => nowSeconds - (parseTime(at) ?? 0) < DAY_SECONDS);
  return recent.flatMap(({ why }) => (why.startsWith(NO_CAPACITY) ? [why.slice(NO_CAPACITY.length)] : []));
}

/** Whether a run of this object creates a machine when it goes on: after a pause that deleted it, or after an eviction. */
const createsAgain = ({ spec = {} }: WorkloadObject): boolean =>
  pauseWayOf(spec) === "recreate" || spec["capacityType"] === "spot";

/** Whether the object has no machine now that a change could meet, because its provider has none for it, as its controller says. */
export function lacksMachine(object: WorkloadObject): boolean {
  const { status } = object;
  const ready = conditionsOf(isObject(status) ? { status } : {}).find(({ type }) => type === "Ready");
  return createsAgain(object) && ready?.status === "False" && ready.reason === "ProviderCapacity";
}

/** The reason why such a run has to stay in its place; null if there is none. A data disk stays where it is, or is lost. */
export function boundBy({ spec = {} }: WorkloadObject): string | null {
  if (listOf(spec["disks"]).length > 0) return "it has data disks there";
  const network = isObject(spec["network"]) ? spec["network"] : {};
  return network["existing"] === undefined ? null : "its network is there";
}
