import { createRequire } from "node:module";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { findArea } from "../model/places/find-area.ts";
import { placesOfCity } from "../model/places/cities.ts";
import { placeOfRegion } from "../model/wrong-value/read-place.ts";
import { readValue } from "../model/wrong-value/read-value.ts";
import type { SchemaNode } from "../model/wrong-value/schema-node.ts";
import type { SettingNames } from "../model/places/catalog.ts";
import { nearest } from "../model/text/nearest.ts";
import { regexFault } from "../model/text/re2-fault.ts";

const PREFIX = "landfall.dev";
/** Landfall's other names on namespaces: provider-objects.landfall.dev selects by the label, the webhook reads the annotation. */
const OTHERS = [`${PREFIX}/managed`, `${PREFIX}/webhooks-suspended`];
/** A label value cannot have slashes or commas: an underscore stands for the one that the setting has. */
const PLACE = `${PREFIX}/origin`;

/** At most as many names are listed in full. */
const LISTED = 12;

interface Setting {
  enum?: string[];
  pattern?: string;
  examples: [string];
}

const load = createRequire(import.meta.url);
let known: Readonly<Record<string, Setting>> | undefined;
const settings = (): Readonly<Record<string, Setting>> =>
  (known ??= (load("../../schemas/namespace-settings.schema.json") as { properties: Record<string, Setting> })
    .properties);

/** A label or annotation that no decision can read. */
export interface NamespaceProblem {
  namespace: string;
  message: string;
}

/** The name that was meant, where a key is like one of Landfall's; null for keys of others. */
function meant(key: string): string | null {
  const [prefix = "", name = ""] = key.split("/");
  if (prefix !== PREFIX && nearest(prefix, [PREFIX]) === null) return null;
  const near = nearest(`${PREFIX}/${name}`, Object.keys(settings()), 3);
  // Another vendor's domain is only meant as ours if what follows is one of our names.
  return near ?? (prefix === PREFIX ? "" : null);
}

function unknownName(what: string, key: string): string | null {
  const name = meant(key);
  if (name === null) return null;
  const advice = name === "" ? "remove it, or write one of the names in docs/reference/settings.md" : `write ${name}`;
  return `${what} ${key} is not a setting of a namespace, so it has no effect; ${advice}`;
}

function isValid(key: string, { enum: values, pattern }: Setting, text: string): boolean {
  if (key === `${PREFIX}/name-pattern`) return text !== "" && regexFault(text) === null;
  return (values?.includes(text) ?? true) && (pattern === undefined || new RegExp(pattern).test(text));
}

/** The place that a text means: itself, that of a region without its provider, or of a city. */
const placeFor = (text: string): string | null =>
  /^[a-z]+\/[a-z0-9-]+$/.test(text) ? text : (placeOfRegion(text) ?? placesOfCity(text)[0] ?? null);

type ReadOne = (text: string) => string | null;

/** The value of a text, as a field of VmTemplate reads it. */
const asField =
  (name: string): ReadOne =>
  (text) => {
    const { properties = {} } = load("../../schemas/vm-template.schema.json") as SchemaNode;
    const value = readValue(properties[name] ?? {}, text)?.value;
    return typeof value === "string" ? value : null;
  };

/** Reads one name of a list, by the setting. */
const READERS: Readonly<Record<string, ReadOne>> = {
  [`${PREFIX}/residency`]: findArea,
  [PLACE]: placeFor,
  [`${PREFIX}/regions`]: placeFor,
  [`${PREFIX}/providers`]: asField("provider"),
  [`${PREFIX}/os`]: asField("os"),
  [`${PREFIX}/max-wait`]: asField("maxWait"),
};

/** The whole list as it is meant; null if one name of it is not understood. */
function readNames(key: string, text: string): string | null {
  const read = READERS[key];
  const names = read === undefined ? [null] : text.split(/[,;]/).map((one) => read(one.trim()));
  return names.includes(null) ? null : [...new Set(names)].join(",");
}

function correction(key: string, { enum: values, examples: [example] }: Setting, text: string): string {
  const meant = readNames(key, text) ?? values?.find((one) => one === text.trim().toLowerCase());
  if (meant !== undefined) return `write "${meant}"`;
  if (values !== undefined) return `write ${values.map((one) => `"${one}"`).join(" or ")}`;
  const digits = /^\d+/.exec(text)?.[0];
  return `write it as in "${/^\d+$/.test(example) && digits !== undefined ? digits : example}"`;
}

/** Why objects are denied by the bundle's names: the first that it does not know. */
function unknownIn(key: string, text: string, names: SettingNames): string | null {
  const known = names[key];
  const given = text.split(",").map((one) => one.trim());
  const wrong = given.find((one) => one !== "" && known?.includes(one) === false);
  if (known === undefined || wrong === undefined) return null;
  const near = nearest(wrong, known);
  const all = known.length > LISTED ? "one that `landfall places` lists" : `one of ${known.join(", ")}`;
  return `is not valid: the bundle does not know "${wrong}", so objects of the namespace are denied; write ${near ?? all}`;
}

function problemOf(
  what: "annotation" | "label",
  [key, value]: readonly [string, string],
  names: SettingNames,
): string | null {
  if (OTHERS.includes(key)) return null;
  const setting = settings()[key];
  if (setting === undefined) return unknownName(what, key);
  const text = what === "annotation" ? value : value.replaceAll("_", key === PLACE ? "/" : ",");
  // A label cannot name a place in a list: it would need both signs.
  if (isValid(key, setting, text)) {
    const unknown = unknownIn(key, text, names);
    return unknown === null ? null : `${what} ${key} "${value}" ${unknown}`;
  }
  return `${what} ${key} "${value}" is not valid, so objects of the namespace are denied; ${correction(key, setting, text)}`;
}

/**
 * The labels and annotations of namespaces that look like settings of Landfall and are none, or cannot be read. `names` are those that the
 * bundle knows; without them, names are not checked. Pure.
 */
export const namespaceProblems = (
  namespaces: readonly KubernetesObject[],
  names: SettingNames = {},
): NamespaceProblem[] =>
  namespaces.flatMap(({ metadata: { name = "", annotations = {}, labels = {} } }) => {
    const found = [
      ...Object.entries(annotations).map((entry) => problemOf("annotation", entry, names)),
      ...Object.entries(labels).map((entry) => problemOf("label", entry, names)),
    ];
    return found.flatMap((message) => (message === null ? [] : [{ namespace: name, message }]));
  });
