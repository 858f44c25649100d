import { LandfallError } from "../../src/errors.ts";
import type { ReviewScan } from "./scan-review.ts";

/**
 * Limits of one object. The largest objects of the two schemas that are of use have about a tenth of each; the API server
 * takes objects of 3 MiB.
 */
const OBJECT_LIMITS = { characters: 1_572_864, nodes: 20_000, depth: 64 } as const;

const UNITS = { characters: "characters of JSON", nodes: "values", depth: "levels of nesting" } as const;

/**
 * Why an object is too large to be decided: ADM_OBJECT_TOO_LARGE; null if it is not. An object that is being deleted is
 * never too large, because its finalizers have to be removable.
 */
export function refuseLarge({ object, deleting }: ReviewScan): LandfallError | null {
  if (deleting) return null;
  for (const measure of ["characters", "nodes", "depth"] as const) {
    const [actual, limit] = [object[measure], OBJECT_LIMITS[measure]];
    if (actual > limit) return new LandfallError("ADM_OBJECT_TOO_LARGE", { actual, unit: UNITS[measure], limit });
  }
  return null;
}
