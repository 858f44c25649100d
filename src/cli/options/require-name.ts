import { LandfallError } from "../../errors.ts";
import { nearestPlace } from "../../model/places/nearest-place.ts";
import { nearest } from "../../model/text/nearest.ts";

/** At most as many names are listed in full. */
const LISTED = 12;

interface Expected {
  /** The noun for the option's value: "a provider of the catalog". */
  what: string;
  names: readonly string[];
  /** Finds the name that was meant, instead of the nearest one. */
  find?: (actual: string) => string | null;
  /** The correction if no name is near and there are too many to list. */
  otherwise?: string;
}

/** Throws CLI_UNKNOWN_NAME for a value that is not one of the names; the error says which one is nearest. */
export function requireName(option: string, actual: string, { what, names, ...rest }: Expected): void {
  if (names.includes(actual)) return;
  const near = (rest.find ?? ((name) => nearest(name, names)))(actual);
  const all = names.length > LISTED ? (rest.otherwise ?? "a name of the catalog") : `one of ${names.join(", ")}`;
  throw new LandfallError("CLI_UNKNOWN_NAME", { option, actual, what, advice: near ?? all });
}

/** Also finds the place of a region without its provider, and of a city: `italynorth`, `Milan`. */
export const requirePlace = (names: readonly string[], option: string, actual: string): void => {
  requireName(option, actual, {
    ...{ what: "a place of the catalog", names, otherwise: "provider/region, e.g. azure/italynorth" },
    find: (name) => nearestPlace(name, names),
  });
};
