import schema from "../../../../schemas/vm-template.schema.json" with { type: "json" };
import { LandfallError } from "../../../errors.ts";
import { findArea } from "../../../model/places/find-area.ts";
import { nearest } from "../../../model/text/nearest.ts";
import { readText } from "../../../model/wrong-value/read-text.ts";
import type { CatalogTables } from "./catalog-tables.ts";

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

/** Also finds a provider by another name: `google`. */
export function requireProvider({ places }: CatalogTables, actual: string): void {
  const names = [...new Set(places.map(({ provider }) => provider))].sort();
  const find = (name: string): string | null => {
    const value = readText(schema.properties.provider, name)?.value;
    return typeof value === "string" && names.includes(value) ? value : nearest(name, names);
  };
  requireName("--provider", actual, { what: "a provider of the catalog", names, find });
}

/** Also finds the place of a region without its provider: `italynorth`, `itlaynorth`. */
export function requirePlace({ places }: CatalogTables, option: string, actual: string): void {
  const names = places.map(({ key }) => key);
  requireName(option, actual, {
    ...{ what: "a place of the catalog", names, otherwise: "provider/region, e.g. azure/italynorth" },
    find: (name) => {
      const word = nearest(
        name,
        places.map(({ region }) => region),
      );
      return nearest(name, names) ?? places.find(({ region }) => region === word)?.key ?? null;
    },
  });
}

export function requireArea({ residency }: CatalogTables, actual: string): void {
  const names = [...Object.keys(residency.areas), ...Object.keys(residency.countries)];
  requireName("--area", actual, {
    ...{ what: "a known area or country", names, otherwise: "EU, EEA, GDPR or the ISO 3166 code of a country" },
    find: (name) => {
      const found = findArea(name);
      return found !== null && names.includes(found) ? found : null;
    },
  });
}
