import { isObject } from "../../model/json.ts";
import type { Offers } from "./types.ts";

/** In catalog/instance-types.json: the region does not offer the type. */
const NOT_OFFERED = -1;

/**
 * Which place offers which instance type, from the text of catalog/instance-types.json. A place or a provider that the
 * catalog does not hold is unknown (null); a type that it does not hold is offered nowhere.
 */
export function readOffers(text: string): Offers {
  const catalog: unknown = JSON.parse(text);
  const providers = isObject(catalog) && isObject(catalog["providers"]) ? catalog["providers"] : {};
  return (place, instanceType) => {
    const [provider = "", region = ""] = place.split("/");
    const entry: unknown = providers[provider];
    if (!isObject(entry) || !Array.isArray(entry["regions"]) || !isObject(entry["types"])) return null;
    const index = entry["regions"].indexOf(region);
    if (index < 0) return null;
    const type: unknown = entry["types"][instanceType];
    if (!isObject(type) || !Array.isArray(type["prices"])) return false;
    return type["prices"][index] !== NOT_OFFERED;
  };
}
