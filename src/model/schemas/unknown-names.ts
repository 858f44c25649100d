import { createRequire } from "node:module";
import { familyOfSeries, isAccelerated } from "../places/family-of-series.ts";
import { findArea } from "../places/find-area.ts";
import { isObject, textOf } from "../json.ts";
import { nearest } from "../text/nearest.ts";
import { nearestPlace } from "../places/nearest-place.ts";
import { readText } from "../wrong-value/read/read-text.ts";
import type { SchemaNode } from "../wrong-value/schema-node.ts";
import { type Found, inside, itemsOf, type SettingProblem } from "./setting-problem.ts";

type Fields = Record<string, unknown>;

const texts = (all: readonly Found[]): [field: string, name: string][] =>
  all.flatMap(([field, name]) => (typeof name === "string" ? [[field, name]] : []));

const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

interface Known {
  /** Continues "is not". */
  what: string;
  has: (name: string) => boolean;
  near: (name: string) => string | null;
  /** The text after "write" if no name is near. */
  otherwise: string;
  /** The whole correction of a name for which writing another one is not enough; null for others. */
  instead?: (name: string) => string | null;
}

/** The names that there are not, each with the nearest that there is. */
const unknown = (all: readonly Found[], { what, has, near, otherwise, instead }: Known): SettingProblem[] =>
  texts(all)
    .filter(([, name]) => !has(name))
    .map(([field, name]) => ({
      field,
      detail: `"${name}" is not ${what}; ${instead?.(name) ?? `write ${near(name) ?? otherwise}`}`,
    }));

/** The places that a pattern such as `aws/us-*` stands for. */
function matching(pattern: string, known: readonly string[]): string[] {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[^\w/-]/g, ""));
  const whole = new RegExp(`^${parts.join("[a-z0-9-]{0,40}")}$`);
  return known.filter((place) => whole.test(place));
}

/** A list has no patterns: each place stands there by its name. */
function withoutPattern(name: string, known: readonly string[]): string | null {
  if (!name.includes("*")) return null;
  const all = matching(name, known);
  return all.length === 0
    ? "no place has such a name, and a list takes no *: write places that `landfall places` lists, or remove it"
    : `a list takes no *: write each place, ${all.join(", ")}`;
}

function unknownPlaces(settings: Fields, known: readonly string[]): SettingProblem[] {
  const budgets = keysOf(inside(settings, "schedule", "budgets", "places"));
  const all: Found[] = [
    ["origin", settings["origin"]],
    ...itemsOf("places.allowed", inside(settings, "places", "allowed")),
    ...itemsOf("places.denied", inside(settings, "places", "denied")),
    ...budgets.map((name): Found => ["schedule.budgets.places", name]),
  ];
  const whole = (name: string): string | undefined => /^(azure|aws|gcp|elemento)(?:\/\*?)?$/.exec(name)?.[1];
  const ofProviders = all.flatMap(([field, name]) => {
    const provider = typeof name === "string" ? whole(name) : undefined;
    if (provider === undefined) return [];
    const detail = `"${textOf(name)}" is a provider and not a place; write each of its places, or remove ${provider} from providers`;
    return [{ field, detail }];
  });
  const others = all.filter(([, name]) => typeof name !== "string" || whole(name) === undefined);
  return [
    ...ofProviders,
    ...unknown(others, {
      what: "a place of the catalog (provider/region)",
      has: (name) => known.includes(name),
      near: (name) => nearestPlace(name, known),
      // Another place in a list of denied ones would be denied for nothing.
      otherwise: "one that `landfall places` lists, or remove it",
      instead: (name) => withoutPattern(name, known),
    }),
  ];
}

const unknownAreas = (settings: Fields, known: readonly string[]): SettingProblem[] =>
  unknown(itemsOf("residency", settings["residency"]), {
    what: "EU, EEA, GDPR or the ISO 3166 code of a country",
    has: (name) => known.includes(name),
    near: findArea,
    otherwise: "one of them, e.g. EU",
  });

const load = createRequire(import.meta.url);

/** The operating systems that an object can name: admission writes the default into the object. */
const systems = (): SchemaNode =>
  (load("../../../schemas/vm-template.schema.json") as { properties: { os: SchemaNode } }).properties.os;

/** Names that must be among these. */
const listed = (what: string, known: readonly string[], near: Known["near"]): Known => ({
  what: `${what}: ${known.join(", ")}`,
  has: (name) => known.includes(name),
  near,
  otherwise: "one of them",
});

function unknownSystem(settings: Fields): SettingProblem[] {
  const node = systems();
  const known = (node.enum ?? []).filter((name) => name !== null);
  const near = (name: string): string | null => {
    const value = readText(node, name)?.value;
    return typeof value === "string" ? value : null;
  };
  return unknown([["os", settings["os"]]], listed("an operating system of the schema", known, near));
}

const unknownFamilies = (settings: Fields, families: readonly string[]): SettingProblem[] =>
  unknown(itemsOf("families", settings["families"]), {
    ...listed("a family of catalog/families.json", families, (name) => familyOfSeries(name) ?? nearest(name, families)),
    instead: (name) =>
      isAccelerated(name) ? "remove it: types with GPUs come with the pools that ask for them" : null,
  });

/** Elemento's zone is the first word of its region. */
function unknownZones(settings: Fields, places: readonly string[]): SettingProblem[] {
  const regions = places.flatMap((key) => /^elemento\/([^-]+)/.exec(key)?.[1] ?? []);
  const zones = [...new Set(regions)];
  const contracted = itemsOf("elemento.contracted", inside(settings, "elemento", "contracted"));
  return zones.length === 0
    ? []
    : unknown(
        contracted,
        listed("a zone of Elemento", zones, (name) => nearest(name, zones)),
      );
}

/**
 * The places, areas, families, zones and operating systems that a bundle's settings name and that there are not. A catalog without areas
 * or families says nothing of them.
 */
export function unknownNames(settings: Fields, catalog: Fields): SettingProblem[] {
  const places: unknown[] = Array.isArray(catalog["places"]) ? catalog["places"] : [];
  const keys = places.map((place) => inside(place, "key")).filter((key) => typeof key === "string");
  const { residency, families } = catalog;
  const areas = [...keysOf(inside(residency, "areas")), ...keysOf(inside(residency, "countries"))];
  const known = texts(itemsOf("families", families)).map(([, name]) => name);
  return [
    ...unknownPlaces(settings, keys),
    ...(areas.length === 0 ? [] : unknownAreas(settings, areas)),
    ...(known.length === 0 ? [] : unknownFamilies(settings, known)),
    ...unknownSystem(settings),
    ...unknownZones(settings, keys),
  ];
}
