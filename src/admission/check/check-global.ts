import { isDeepStrictEqual } from "node:util";
import type { WorkloadObject } from "../../model/workload.ts";

/** Most characters of JSON of `spec.global`: the ten values that a composition controller writes have some hundred. */
const GLOBAL_LENGTH = 4096;

/**
 * A new value of `spec.global` that is too long. It is the only field without limits of its own, because composition controllers write it:
 * ours and Krateo's into the values of a release, others perhaps into the object. `oldObject`: null at a creation.
 */
export function longGlobal(
  { spec }: WorkloadObject,
  oldObject: WorkloadObject | null,
): { code: "ADM_GLOBAL_LONG"; params: { length: number; limit: number } } | null {
  const global = spec?.["global"];
  if (global === undefined || isDeepStrictEqual(global, oldObject?.spec?.["global"])) return null;
  const { length } = JSON.stringify(global);
  return length <= GLOBAL_LENGTH ? null : { code: "ADM_GLOBAL_LONG", params: { length, limit: GLOBAL_LENGTH } };
}
