import { trimEdges } from "../text/trim-edges.ts";
import { createRequire } from "node:module";
import { placesOfCity } from "../places/cities.ts";
import type { SettingNames } from "../places/catalog.ts";
import { findArea } from "../places/find-area.ts";
import { nearest } from "../text/nearest.ts";
import { regexFault } from "../text/re2-fault.ts";
import { placeOfRegion } from "./read/read-place.ts";
import { readValue } from "./read/read-value.ts";
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

type ReadOne = (text: string) => string | null;

/** The value of a text, as a field of a schema reads it. */
const fieldOf =
  (schema: string) =>
  (...path: readonly string[]): ReadOne =>
  (text) => {
    const root = load(`../../../schemas/${schema}.schema.json`) as SchemaNode;
    const node = path.reduce<SchemaNode>((one, name) => one.properties?.[name] ?? {}, root);
    const value = readValue(node, text)?.value;
    return typeof value === "string" || typeof value === "number" ? String(value) : null;
  };
const asField = fieldOf("vm-template");
/** As a quota of the platform, which is a maximum: it takes no more than what is written. */
const asQuota = (name: string): ReadOne => fieldOf("settings")("quotas", "default", name);

const YES = /^(?:true|yes|y|on|1|enabled?)$/i;
const NO = /^(?:false|no|n|off|0|disabled?)$/i;

/** `no` and `False` are false. */
const switchOf: ReadOne = (text) => (YES.test(text) ? "true" : NO.test(text) ? "false" : null);

/** `general` of `General`. */
function familyOf(text: string): string | null {
  const name = text.toLowerCase();
  return /^[a-z0-9-]{1,40}$/.test(name) ? name : null;
}

/** `$500`, `1,000 USD`, `500.50 per month`: whole USD, not more than what is written, because it is a maximum. */
function priceOf(text: string): string | null {
  const [, amount = ""] =
    /^(?:usd|us\$|\$)? ?(\d[\d,]{0,11}(?:\.\d{1,4})?) ?(?:usd|us\$|\$|dollars?)?(?: ?(?:\/|per|a) ?mo(?:nth)?)?$/i.exec(
      text.trim(),
    ) ?? [];
  const usd = /^\d{1,3}(?:,\d{3}){1,3}(?:\.|$)|^\d+(?:\.|$)/.test(amount) ? Number(amount.replaceAll(",", "")) : NaN;
  return Number.isNaN(usd) ? null : String(Math.floor(usd));
}

/** `20 objects`, `"20"`, `1e3`, `1k`, and 10 of `10.5`. */
const countOf: ReadOne = (text) =>
  asQuota("objects")(text) ?? /^(\d{1,9}) ?[a-z]{2,12}$/i.exec(text.trim())?.[1] ?? null;

/** The place that a text means: itself, that of a region without its provider, of a city, or in another notation. */
function placeFor(text: string): string | null {
  if (/^[a-z]+\/[a-z0-9-]+$/.test(text)) return text;
  return placeOfRegion(text) ?? placesOfCity(text)[0] ?? asField("origin")(text);
}

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
  [`${PREFIX}/quota-vcpus`]: asQuota("vcpus"),
  [`${PREFIX}/quota-memory`]: asQuota("memoryGiB"),
  [`${PREFIX}/quota-price`]: priceOf,
  [`${PREFIX}/quota-objects`]: countOf,
  [`${PREFIX}/os-disk-gib`]: asField("osDisk", "sizeGiB"),
  [`${PREFIX}/waiting-cost-percent`]: asField("waitingCostPercent"),
  [`${PREFIX}/estimates`]: switchOf,
  [`${PREFIX}/families`]: familyOf,
});

/** The settings that are lists. */
const LISTS: readonly string[] = ["residency", "regions", "providers", "families"].map((name) => `${PREFIX}/${name}`);

const EDGES = ` \t\n[]"'`;

/** The names of a list; brackets and quotes are those of YAML, which an annotation has not. */
const namesOf = (text: string, between: RegExp): string[] => text.split(between).map((one) => trimEdges(one, EDGES));

/** `!gcp` and `-gcp`: to write the name alone would say the opposite. */
const EXCLUDED = /(?:^|[,;\s])(?:[!-]|not\s|except\s|without\s)/i;

/** The whole list as it is meant; null if one name of it is not understood or excluded. */
function readNames(key: string, text: string): string | null {
  const read = READERS[key];
  if (read === undefined) return null;
  if (!LISTS.includes(key)) return read(trimEdges(text, EDGES));
  // Names such as United Kingdom have spaces: what is not read as several names by them is one.
  if (EXCLUDED.test(text)) return null;
  for (const between of [/[,;+|& ]/, /[,;+|&]/]) {
    const names = namesOf(text, between)
      .filter((one) => one !== "")
      .map((one) => read(one));
    if (names.length > 0 && !names.includes(null)) return [...new Set(names)].join(",");
  }
  return null;
}

/** The value to write for one that no decision can read. */
function correction({ enum: values, examples: [example] }: Setting, text: string, read: string | null): string {
  const meant = read ?? values?.find((one) => one === text.trim().toLowerCase());
  if (meant !== undefined) return `"${meant}"`;
  if (values !== undefined) return values.map((one) => `"${one}"`).join(" or ");
  // `0` of `0.5k` would forbid everything.
  const digits = /^\d+$/.test(example) ? /^[1-9]\d*(?!\d|[.,]\d)/.exec(text)?.[0] : undefined;
  return `e.g. "${digits ?? example}"`;
}

/** The problem of a setting's value, and the value to write: `"30"`, `e.g. "30"`. */
export interface SettingFault {
  /** Empty if only its form is wrong. */
  detail: string;
  /** Null if the setting is to be removed, because no limit is meant. */
  write: string | null;
}

/** The first name of a list that the bundle does not know, and the whole list with the nearest that it knows. */
function unknownIn(key: string, text: string, names: SettingNames): SettingFault | null {
  const all = names[key];
  const given = text.split(",").map((one) => one.trim());
  const wrong = given.find((one) => one !== "" && all?.includes(one) === false);
  if (all === undefined || wrong === undefined) return null;
  const meant = (one: string): string | null => {
    const read = READERS[key]?.(one) ?? one;
    return all.includes(read) ? read : nearest(one, all);
  };
  const near = given.map(meant);
  const listed = all.length > LISTED ? "one that `landfall places` lists" : `one of ${all.join(", ")}`;
  const write = near.includes(null) ? listed : `"${[...new Set(near)].join(",")}"`;
  return { detail: `the bundle does not know "${wrong}"`, write };
}

/** Words for a limit that there is not. */
const NO_LIMIT =
  /^(?:\*|\*\/\*|all|any|anywhere|everywhere|none|no|no limit|unlimited|infinite|infinity|inf|null|-1)$/i;
const LIMITS =
  /\/(?:providers|regions|residency|families|max-latency|max-wait|quota-objects|quota-vcpus|quota-memory|quota-price|name-pattern)$/;

/** Whether a text says that a limit of the namespace does not exist, as `*` and `unlimited` do. */
const isNoLimit = (key: string, text: string): boolean => LIMITS.test(key) && NO_LIMIT.test(text.trim());

/** The value that has another form: what is wrong, and the names as the bundle knows them. */
function malformed(key: string, text: string, setting: Setting, names: SettingNames): SettingFault {
  if (isNoLimit(key, text)) return { detail: "", write: null };
  const fault = key === `${PREFIX}/name-pattern` ? regexFault(text) : null;
  if (fault !== null)
    return { detail: fault.detail.split(", so ")[0] ?? "", write: correction(setting, text, fault.meant) };
  const read = readNames(key, text);
  const unknown = read === null ? null : unknownIn(key, read, names);
  return { detail: unknown?.detail ?? "", write: unknown?.write ?? correction(setting, text, read) };
}

/**
 * Why no decision can read the value of a namespace's setting, and what to write; null if it can be read, and for other annotations. `names`:
 * those that the bundle knows; without them, names are not checked.
 */
export function settingFault(key: string, text: string, names: SettingNames = {}): SettingFault | null {
  const setting = namespaceSettings()[key];
  if (setting === undefined) return null;
  if (!isValid(key, setting, text)) return malformed(key, text, setting, names);
  const unknown = unknownIn(key, text, names);
  return unknown !== null && isNoLimit(key, text) ? { ...unknown, write: null } : unknown;
}

/** The advice about a setting, as the end of a sentence: `write "30"`, `remove it`. */
export const settingAdvice = ({ write }: SettingFault): string =>
  write === null ? "remove it for no limit by the namespace" : `write ${write}`;

/** The sign that `_` in a label stands for, by the setting (policies/bundle/landfall/scope.rego); in the others it is itself. */
const UNDERSCORE: Readonly<Record<string, string>> = table({
  [`${PREFIX}/origin`]: "/",
  ...Object.fromEntries(LISTS.map((key) => [key, ","])),
  ...Object.fromEntries(["os", "os-disk-type", "optimize-for", "when-done"].map((name) => [`${PREFIX}/${name}`, "-"])),
});
/** The value of a label (k8s.io/apimachinery/pkg/util/validation). */
export const LABEL_VALUE = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;

/** The text of a setting that a label's value stands for. A label cannot name a place in a list: it would need both signs. */
export const textOfLabel = (key: string, value: string): string => value.replaceAll("_", UNDERSCORE[key] ?? "_");

/** The value of a label that stands for this text; null if there is none. */
function labelFor(key: string, text: string): string | null {
  const label = text.replaceAll(/[,/]/g, "_");
  return LABEL_VALUE.test(label) && textOfLabel(key, label) === text ? label : null;
}

/** A fault with what to write into a label instead of an annotation. */
export const inLabel = (key: string, { detail, write }: SettingFault): SettingFault => ({
  detail,
  write: write === null ? null : writtenInLabel(key, write),
});

/** `write` of a fault for a label instead of an annotation: `"EU_CH"`; an annotation where no label can hold it. */
function writtenInLabel(key: string, write: string): string {
  // Every second part is between quotes.
  const parts = write.split('"').map((part, index) => (index % 2 === 0 ? part : labelFor(key, part)));
  return parts.includes(null) ? `an annotation instead of the label, ${write}` : parts.join('"');
}

/** The advice about a text of no label's form that means a setting: `write "EU_CH"` of `EU,CH`. */
export const meantInLabel = (key: string, text: string): string =>
  settingAdvice(inLabel(key, settingFault(key, text) ?? { detail: "", write: `"${text}"` }));
