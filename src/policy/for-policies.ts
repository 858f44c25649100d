import { isObject } from "../model/json.ts";
import { valueAt, withValue } from "./roots.ts";

const CARBON = "landfall/catalog/carbon";
const PRICE_DATES = "landfall/catalog/priceDates";

const withoutPriceDates = (data: Record<string, unknown>): Record<string, unknown> =>
  valueAt(data, PRICE_DATES) === undefined ? data : withValue(data, PRICE_DATES, undefined);

/**
 * The data that policies get: all but the hourly figures of the electricity zones and the dates of prices. Only placement and
 * decisions read those, and in the module's memory every value takes a place of its own.
 */
export function forPolicies(all: Record<string, unknown>): Record<string, unknown> {
  const data = withoutPriceDates(all);
  const carbon = valueAt(data, CARBON);
  if (!isObject(carbon)) return data;
  const zones = Object.entries(carbon).map(([zone, profile]) => {
    if (!isObject(profile)) return [zone, profile];
    const { hourOfWeek: _placement, ...rest } = profile;
    return [zone, rest];
  });
  return withValue(data, CARBON, Object.fromEntries(zones));
}
