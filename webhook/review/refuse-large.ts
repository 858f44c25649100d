import { LandfallError } from "../../src/errors.ts";
import { OBJECT_LIMITS } from "../../src/model/formats/count-json.ts";
import type { Extent, ReviewScan } from "./scan-review.ts";

/**
 * Of each object in a review of a caller without an identity, whatever it says of deletion. The API server stores 1.5 MB, which can be
 * 750,000 values; those of Landfall's kinds have some hundred.
 */
const FORGED_LIMITS = { characters: Infinity, nodes: 100_000, depth: 1000 } as const;
/** Characters of each other value that is read. */
const VALUE = 4096;

const UNITS = { characters: "characters of JSON", nodes: "values", depth: "levels of nesting" } as const;

/**
 * Why an object is too large to be decided: ADM_OBJECT_TOO_LARGE; null if it is not. An object that is being deleted is
 * never too large, because its finalizers have to be removable.
 */
export function refuseLarge({ object, deleting }: ReviewScan): LandfallError | null {
  return deleting ? null : exceeded(object, OBJECT_LIMITS);
}

function exceeded(extent: Extent, limits: Extent): LandfallError | null {
  for (const measure of ["characters", "nodes", "depth"] as const) {
    const [actual, limit] = [extent[measure], limits[measure]];
    if (actual > limit) return new LandfallError("ADM_OBJECT_TOO_LARGE", { actual, unit: UNITS[measure], limit });
  }
  return null;
}

const OBJECTS: ReadonlySet<string> = new Set(["object", "oldObject"]);

/** Checks all that is read of the review of a caller without an identity. Throws ADM_OBJECT_TOO_LARGE, ADM_NOT_A_REVIEW. */
export function checkForged({ parts }: ReviewScan): void {
  for (const [name, part] of [...parts.review, ...parts.request, ...parts.oldMetadata]) {
    const large = OBJECTS.has(name) ? exceeded(part, FORGED_LIMITS) : null;
    if (large !== null) throw large;
    if (OBJECTS.has(name) || part.characters <= VALUE) continue;
    const detail = `${name} has ${String(part.characters)} characters; at most ${String(VALUE)} are read`;
    throw new LandfallError("ADM_NOT_A_REVIEW", { detail });
  }
}
