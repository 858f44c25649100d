import { LandfallError } from "../../errors.ts";
import { nearestPlaces } from "../../model/places/nearest-place.ts";
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
  /** Whether the option may be repeated, so that `aws,gcp` is meant as both. */
  isRepeatable?: boolean;
}

/** `aws --provider gcp` of `aws,gcp`; null where a part is not a name. */
function eachOf(option: string, actual: string, { names, find }: Expected): string | null {
  const parts = actual.split(/[,;\s]{1,4}/).filter((part) => part !== "");
  const found = parts.map((part) => (names.includes(part) ? part : (find?.(part) ?? null)));
  // Of a city in several regions, the one that is meant is not known.
  return found.length < 2 || found.some((name) => name?.includes(" ") !== false)
    ? null
    : found.map((name) => `${option} ${String(name)}`).join(" ");
}

/** Throws CLI_UNKNOWN_NAME for a value that is not one of the names; the error says which one is nearest. */
export function requireName(option: string, actual: string, expected: Expected): void {
  const { what, names, ...rest } = expected;
  if (names.includes(actual)) return;
  const each = rest.isRepeatable === true ? eachOf(option, actual, expected) : null;
  if (each !== null) throw new LandfallError("CLI_UNKNOWN_NAME", { option, actual, what, advice: each });
  const near = (rest.find ?? ((name) => nearest(name, names)))(actual);
  const all = names.length > LISTED ? (rest.otherwise ?? "a name of the catalog") : `one of ${names.join(", ")}`;
  throw new LandfallError("CLI_UNKNOWN_NAME", { option, actual, what, advice: near ?? all });
}

/** A city has a place of each provider: `azure/italynorth, aws/eu-south-1 or gcp/europe-west8`. */
function placesMeant(name: string, names: readonly string[]): string | null {
  const all = nearestPlaces(name, names);
  return all.length < 2 ? (all[0] ?? null) : `${all.slice(0, -1).join(", ")} or ${String(all.at(-1))}`;
}

/** Also finds the place of a region without its provider, and those of a city: `italynorth`, `Milan`. */
export const requirePlace = (
  names: readonly string[],
  option: string,
  actual: string,
  more: Pick<Expected, "isRepeatable"> = {},
): void => {
  requireName(option, actual, {
    ...{ what: "a place of the catalog", names, otherwise: "provider/region, e.g. azure/italynorth", ...more },
    find: (name) => placesMeant(name, names),
  });
};
