import { createRequire } from "node:module";
import { findArea } from "../places/find-area.ts";
import { isObject } from "../json.ts";
import { nearest } from "../text/nearest.ts";

type Fields = Record<string, unknown>;

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");

const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

const inside = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

const problem = (field: string, name: string, what: string, near: string | null) => ({
  field,
  detail: `"${name}" is not ${what}; ${near === null ? "correct or remove it" : `write ${near}`}`,
});

function unknownPlaces(settings: Fields, known: readonly string[]) {
  const lists: [string, unknown][] = [
    ["origin", settings["origin"]],
    ["places.allowed", inside(settings["places"], "allowed")],
    ["places.denied", inside(settings["places"], "denied")],
    ["schedule.budgets.places", keysOf(inside(inside(settings["schedule"], "budgets"), "places"))],
  ];
  return lists.flatMap(([field, names]) =>
    texts(names)
      .filter((name) => !known.includes(name))
      .map((name) => problem(field, name, "a place of the catalog (provider/region)", nearest(name, known))),
  );
}

function unknownAreas(settings: Fields, known: readonly string[]) {
  return texts(settings["residency"])
    .filter((name) => !known.includes(name))
    .map((name) => problem("residency", name, "EU, EEA, GDPR or the ISO 3166 code of a country", findArea(name)));
}

const load = createRequire(import.meta.url);

/** The operating systems that an object can name: admission writes the default into the object. */
const systems = (): readonly string[] => {
  const { properties } = load("../../../schemas/vm-template.schema.json") as {
    properties: { os: { enum: readonly string[] } };
  };
  return properties.os.enum;
};

/** Names of settings that must be among these; `what` continues "is not". */
function unlisted(field: string, names: unknown, known: readonly string[], what: string) {
  return texts(names)
    .filter((name) => !known.includes(name))
    .map((name) => problem(field, name, `${what}: ${known.join(", ")}`, nearest(name, known)));
}

/**
 * The places, areas, families and operating systems that a bundle's settings name and that there are not. A catalog without areas or
 * families says nothing of them.
 */
export function unknownNames(settings: Fields, catalog: Fields): { field: string; detail: string }[] {
  const places: unknown[] = Array.isArray(catalog["places"]) ? catalog["places"] : [];
  const keys = places.flatMap((place) => texts(inside(place, "key")));
  const { residency } = catalog;
  const areas = [...keysOf(inside(residency, "areas")), ...keysOf(inside(residency, "countries"))];
  const families = Array.isArray(catalog["families"]) ? texts(catalog["families"]) : [];
  return [
    ...unknownPlaces(settings, keys),
    ...(areas.length === 0 ? [] : unknownAreas(settings, areas)),
    ...(families.length === 0
      ? []
      : unlisted("families", settings["families"], families, "a family of catalog/families.json")),
    ...unlisted("os", settings["os"], systems(), "an operating system of the schema"),
  ];
}
