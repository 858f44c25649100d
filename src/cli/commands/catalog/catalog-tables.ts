import { LandfallError } from "../../../errors.ts";
import type { CatalogPlace } from "../../../model/bundle-format/catalog-place.ts";
import type { Prices, TypeRow } from "../../../model/bundle-format/packed-prices.ts";
import { compileSchema } from "../../../model/schemas/compile-schema.ts";
import { firstFound } from "../../../model/wrong-value/first-problem.ts";
import { isObject } from "../../../model/json.ts";
import type { PlaceKey } from "../../../model/workload.ts";

/** The parts of data.landfall.catalog that the commands list. */
export interface CatalogTables {
  places: CatalogPlace[];
  residency: { areas: Record<string, Record<string, true>>; countries: Record<string, true> };
  latency: { sources: (string | null)[]; from: Record<PlaceKey, { ms: (number | null)[]; source: number[] }> };
  types: TypeRow<Prices>[];
  /** provider -> type -> index in `types` */
  typeIds: Record<string, Record<string, number>>;
  /** The same of types with GPUs; bundles of 0.1.0 have none. */
  gpuIds?: Record<string, Record<string, number>>;
  /** provider -> by column the date of the prices; bundles of 0.1.0 have none. */
  priceDates?: Record<string, string[]>;
  /** gCO2eq/kWh */
  carbon: Record<string, { yearly: number }>;
}

const text = { type: "string" };
const number = { type: "number" };
const orNull = (type: string): object => ({ type: [type, "null"] });
const listOf = (items: object): object => ({ type: "array", items });
const mapOf = (additionalProperties: object): object => ({ type: "object", additionalProperties });
const record = (properties: Record<string, object>, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
});

const place = record({
  ...{ key: text, provider: text, region: text, country: text, column: number },
  ...{ electricityZone: orNull("string"), zone: orNull("string") },
});
const type = {
  type: "array",
  minItems: 7,
  items: [text, number, number, { type: ["string", "array"] }, text, text, text],
  additionalItems: number,
};
const tables = {
  places: listOf(place),
  residency: record({ areas: mapOf({ type: "object" }), countries: { type: "object" } }),
  latency: record({
    sources: listOf(orNull("string")),
    from: mapOf(record({ ms: listOf(orNull("number")), source: listOf(number) })),
  }),
  types: listOf(type),
  typeIds: mapOf(mapOf(number)),
  carbon: mapOf(record({ yearly: number })),
};
const validate = compileSchema<CatalogTables>(
  record({ ...tables, gpuIds: mapOf(mapOf(number)), priceDates: mapOf(listOf(text)) }, Object.keys(tables)),
  { strictTuples: false },
);

/** The catalog in a bundle's data. Throws BUNDLE_DATA where it has another shape. */
export function catalogTables(data: Record<string, unknown>, ref: string): CatalogTables {
  const root = data["landfall"];
  const catalog = isObject(root) ? root["catalog"] : undefined;
  if (validate(catalog)) return catalog;
  const { field, given, detail, correction } = firstFound(validate.schema, catalog, validate.errors);
  const path = field === "it" ? "" : `.${field}`;
  throw new LandfallError("BUNDLE_DATA", {
    ref,
    detail: `data.landfall.catalog${path}${given} ${detail}; ${correction}`,
  });
}
