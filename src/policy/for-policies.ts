import { isObject } from "../model/json.ts";
import { valueAt, withValue } from "./roots.ts";

const CARBON = "landfall/catalog/carbon";

/**
 * The data that policies get: all but the hourly figures of the electricity zones. Only placement reads those, and in the
 * module's memory every number takes a place of its own.
 */
export function forPolicies(data: Record<string, unknown>): Record<string, unknown> {
  const carbon = valueAt(data, CARBON);
  if (!isObject(carbon)) return data;
  const zones = Object.entries(carbon).map(([zone, profile]) => {
    if (!isObject(profile)) return [zone, profile];
    const { hourOfWeek: _placement, ...rest } = profile;
    return [zone, rest];
  });
  return withValue(data, CARBON, Object.fromEntries(zones));
}
