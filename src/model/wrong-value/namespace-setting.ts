import { trimEdges } from "../text/trim-edges.ts";
import { createRequire } from "node:module";
import { placesOfCity } from "../places/cities.ts";
import type { SettingNames } from "../places/catalog.ts";
import { findArea } from "../places/find-area.ts";
import { nearest } from "../text/nearest.ts";
import { regexFault } from "../text/re2-fault.ts";
import { placeOfRegion } from "./read-place.ts";
import { readValue } from "./read-value.ts";
import type { SchemaNode } from "./schema-node.ts";
import { table } from "../table.ts";
import { durationText, HOUR_SECONDS } from "../time.ts";

const PREFIX = "landfall.dev";

/** A setting of namespaces in schemas/namespace-settings.schema.json. */
interface Setting {
  enum?: string[];
  pattern?: string;
  examples: [string];
}

const load = createRequire(import.meta.url);
let known: Readonly<Record<string, Setting>> | undefined;
/** The settings of namespaces by their annotations. Loaded when they are needed. */
export const namespaceSettings = (): Readonly<Record<string, Setting>> =>
  (known ??= (load("../../../schemas/namespace-settings.schema.json") as { properties: Record<string, Setting> })
    .properties);

/** At most as many names are listed in full. */
const LISTED = 12;

function isValid(key: string, { enum: values, pattern }: Setting, text: string): boolean {
  if (key === `${PREFIX}/name-pattern`) return text !== "" && regexFault(text) === null;
  return (values?.includes(text) ?? true) && (pattern === undefined || new RegExp(pattern).test(text));
}

/** The place that a text means: itself, that of a region without its provider, or of a city. */
function placeFor(text: string): string | null {
  const place = text.replace(":", "/");
  return /^[a-z]+\/[a-z0-9-]+$/.test(place) ? place : (placeOfRegion(text) ?? placesOfCity(text)[0] ?? null);
}

type ReadOne = (text: string) => string | null;

/** The value of a text, as a field of VmTemplate reads it. */
const asField =
  (...path: readonly string[]): ReadOne =>
  (text) => {
    const schema = load("../../../schemas/vm-template.schema.json") as SchemaNode;
    const node = path.reduce<SchemaNode>((one, name) => one.properties?.[name] ?? {}, schema);
    const value = readValue(node, text)?.value;
    return typeof value === "string" || typeof value === "number" ? String(value) : null;
  };

/** A duration; a large number without a unit counts seconds, as in other tools. */
function waitOf(text: string): string | null {
  const seconds = /^\d{4,9}$/.test(text.trim()) ? Number(text) : 0;
  return seconds >= HOUR_SECONDS ? durationText(seconds) : asField("maxWait")(text);
}

/** Reads a value, or one name of a list, by the setting. */
const READERS: Readonly<Record<string, ReadOne>> = table({
  [`${PREFIX}/residency`]: findArea,
  [`${PREFIX}/origin`]: placeFor,
  [`${PREFIX}/regions`]: placeFor,
  [`${PREFIX}/providers`]: asField("provider"),
  [`${PREFIX}/os`]: asField("os"),
  [`${PREFIX}/max-wait`]: waitOf,
  [`${PREFIX}/os-disk-type`]: asField("osDisk", "type"),
  [`${PREFIX}/optimize-for`]: asField("optimizeFor"),
  [`${PREFIX}/when-done`]: asField("whenDone"),
  [`${PREFIX}/max-latency`]: asField("maxLatency"),
  [`${PREFIX}/quota-vcpus`]: asField("cpu"),
  [`${PREFIX}/quota-memory`]: asField("memory"),
});

/** The names of a list; brackets and quotes are those of YAML, which an annotation has not. */
const namesOf = (text: string, between: RegExp): string[] =>
  text.split(between).map((one) => trimEdges(one, ` \t\n[]"'`));

/** The whole list as it is meant; null if one name of it is not understood. */
function readNames(key: string, text: string): string | null {
  const read = READERS[key];
  if (read === undefined) return null;
  // Names such as United Kingdom have spaces: what is not read as several names by them is one.
  for (const between of [/[,; ]/, /[,;]/]) {
    const names = namesOf(text, between)
      .filter((one) => one !== "")
      .map((one) => read(one));
    if (names.length > 0 && !names.includes(null)) return [...new Set(names)].join(",");
  }
  return null;
}

/** The value to write for one that no decision can read. */
function correction(key: string, { enum: values, examples: [example] }: Setting, text: string): string {
  const meant = readNames(key, text) ?? values?.find((one) => one === text.trim().toLowerCase());
  if (meant !== undefined) return `"${meant}"`;
  if (values !== undefined) return values.map((one) => `"${one}"`).join(" or ");
  const digits = /^\d+$/.test(example) ? /^\d+/.exec(text)?.[0] : undefined;
  return `e.g. "${digits ?? example}"`;
}

/** The problem of a setting's value, and the value to write: `"30"`, `e.g. "30"`. */
export interface SettingFault {
  /** Empty if only its form is wrong. */
  detail: string;
  write: string;
}

/** The first name of a list that the bundle does not know, and the whole list with the nearest that it knows. */
function unknownIn(key: string, text: string, names: SettingNames): SettingFault | null {
  const all = names[key];
  const given = text.split(",").map((one) => one.trim());
  const wrong = given.find((one) => one !== "" && all?.includes(one) === false);
  if (all === undefined || wrong === undefined) return null;
  const near = given.map((one) => (all.includes(one) ? one : nearest(one, all)));
  const listed = all.length > LISTED ? "one that `landfall places` lists" : `one of ${all.join(", ")}`;
  const write = near.includes(null) ? listed : `"${[...new Set(near)].join(",")}"`;
  return { detail: `the bundle does not know "${wrong}"`, write };
}

/**
 * Why no decision can read the value of a namespace's setting, and what to write; null if it can be read, and for other annotations. `names`:
 * those that the bundle knows; without them, names are not checked.
 */
export function settingFault(key: string, text: string, names: SettingNames = {}): SettingFault | null {
  const setting = namespaceSettings()[key];
  if (setting === undefined) return null;
  if (!isValid(key, setting, text)) return { detail: "", write: correction(key, setting, text) };
  return unknownIn(key, text, names);
}

/** The sign that `_` in a label stands for, by the setting (policies/bundle/landfall/scope.rego); in the others it is itself. */
const UNDERSCORE: Readonly<Record<string, string>> = table({
  [`${PREFIX}/origin`]: "/",
  ...Object.fromEntries(["residency", "regions", "providers", "families"].map((name) => [`${PREFIX}/${name}`, ","])),
  ...Object.fromEntries(["os", "os-disk-type", "optimize-for", "when-done"].map((name) => [`${PREFIX}/${name}`, "-"])),
});
/** The value of a label (k8s.io/apimachinery/pkg/util/validation). */
const LABEL_VALUE = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;

/** The text of a setting that a label's value stands for. A label cannot name a place in a list: it would need both signs. */
export const textOfLabel = (key: string, value: string): string => value.replaceAll("_", UNDERSCORE[key] ?? "_");

/** The value of a label that stands for this text; null if there is none. */
function labelFor(key: string, text: string): string | null {
  const label = text.replaceAll(/[,/]/g, "_");
  return LABEL_VALUE.test(label) && textOfLabel(key, label) === text ? label : null;
}

/** `write` of a fault for a label instead of an annotation: `"EU_CH"`; an annotation where no label can hold it. */
export function writtenInLabel(key: string, write: string): string {
  // Every second part is between quotes.
  const parts = write.split('"').map((part, index) => (index % 2 === 0 ? part : labelFor(key, part)));
  return parts.includes(null) ? `an annotation instead of the label, ${write}` : parts.join('"');
}

/** The setting that a text of no label's form means, as `write` of a fault: `"EU_CH"` of `EU,CH`. */
export const meantInLabel = (key: string, text: string): string =>
  writtenInLabel(key, settingFault(key, text)?.write ?? `"${text}"`);
