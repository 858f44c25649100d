import schema from "../../../../schemas/vm-template.schema.json" with { type: "json" };
import { findArea } from "../../../model/places/find-area.ts";
import { nearest } from "../../../model/text/nearest.ts";
import { readText } from "../../../model/wrong-value/read/read-text.ts";
import { requireName } from "../../options/require-name.ts";
import type { CatalogTables } from "./catalog-tables.ts";

/** Also finds a provider by another name: `google`. */
export function requireProvider({ places }: CatalogTables, actual: string): void {
  const names = [...new Set(places.map(({ provider }) => provider))].sort();
  const find = (name: string): string | null => {
    const value = readText(schema.properties.provider, name)?.value;
    return typeof value === "string" && names.includes(value) ? value : nearest(name, names);
  };
  requireName("--provider", actual, { what: "a provider of the catalog", names, find, isRepeatable: true });
}

export function requireArea({ residency }: CatalogTables, actual: string): void {
  const names = [...Object.keys(residency.areas), ...Object.keys(residency.countries)];
  requireName("--area", actual, {
    ...{ what: "a known area or country", names, otherwise: "EU, EEA, GDPR or the ISO 3166 code of a country" },
    isRepeatable: true,
    find: (name) => {
      const found = findArea(name);
      return found !== null && names.includes(found) ? found : null;
    },
  });
}
