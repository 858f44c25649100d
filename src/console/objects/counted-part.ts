import { readPlacement } from "../../model/decision-annotation/compact-decision.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { Kind } from "../../model/names.ts";
import { countedAmount, largerSize, sizeOf } from "../../model/read-workload.ts";
import type { Row } from "../contract/rows.ts";
import { toldConditions } from "./told-conditions.ts";

/** The part of a row that says what an object counts in quotas and budgets. */
export type Counted = Pick<Row, "counts" | "vcpus" | "memoryGiB" | "mostUsdPerHour">;

export const UNCOUNTED: Counted = { counts: false, vcpus: 0, memoryGiB: 0, mostUsdPerHour: null };

/** Whether a run is over and its resources are deleted: the controller then writes an empty list of them. */
function isGone(object: Resource): boolean {
  const { managed } = object.status ?? {};
  const isOver = toldConditions(object).some(
    ({ type, status }) => (type === "Completed" || type === "Failed") && status === "True",
  );
  return isOver && Array.isArray(managed) && managed.length === 0;
}

/** The size and price that count for an object, by the code that counts it for the webhook. */
export function countedPart(object: Resource): Counted {
  if (isGone(object)) return UNCOUNTED;
  const asked = sizeOf(object.kind as Kind, object.spec ?? {});
  const { vcpus, memoryGiB, pricePerHour } = largerSize(asked, readPlacement(object));
  return {
    ...{ counts: true, vcpus: countedAmount(vcpus), memoryGiB: countedAmount(memoryGiB) },
    mostUsdPerHour: pricePerHour === null ? null : countedAmount(pricePerHour),
  };
}
