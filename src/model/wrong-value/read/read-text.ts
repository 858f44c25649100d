import { findArea } from "../../places/find-area.ts";
import { nearestAll } from "../../text/nearest.ts";
import { accepts, FIELD, type Reading, type SchemaNode, surely } from "../schema-node.ts";
import { ofSeveral, placeOfRegion, readPlace, readProvider, readRegion } from "./read-place.ts";
import { readKey } from "../texts/read-key.ts";
import { readSystem } from "../texts/read-system.ts";
import { readNetwork } from "../texts/read-network.ts";
import { readPrice } from "../texts/read-price.ts";
import { readDay, readDuration, readTime, type Units } from "../texts/read-time.ts";
import { countryOfRegion } from "../../places/cities.ts";
import { NOT_AN_IMAGE, systemOfImage } from "../../places/images.ts";
import { ownValue, textOf } from "../../json.ts";
import { table } from "../../table.ts";
import { trimEdges } from "../../text/trim-edges.ts";

const accepted = (node: SchemaNode, texts: readonly string[]): string | undefined =>
  texts.find((text) => accepts(node, text));

/** `Web Server_1` as `web-server-1` or `webserver1`, whichever the field takes. */
function readName(node: SchemaNode, text: string): Reading | null {
  const lower = text.trim().toLowerCase();
  if (accepts(node, lower)) return { value: lower, sure: true };
  const dashed = lower
    .split(/[^a-z0-9]/)
    .filter((part) => part !== "")
    .join("-");
  const value = accepted(node, [dashed, dashed.replaceAll("-", ""), dashed.replace(/^[\d-]+/, "")]);
  return value === undefined ? shortened(node, dashed) : { value };
}

/** The end of a name that is a zone: `nodes-eu-west-1a` of kOps. */
const ZONE = /-(?:[a-z]{2,12}-){1,2}[a-z]{0,12}\d{1,2}-?[a-f]$/;

/** The first words of a name that is too long; the answer names a zone in it, because no name chooses one. */
function shortened(node: SchemaNode, dashed: string): Reading | null {
  const named = dashed.replace(ZONE, "");
  const words = named.split("-");
  const fits = words.map((_word, index) => words.slice(0, words.length - index).join("-"));
  const value = accepted(
    node,
    fits.flatMap((one) => [one, one.replaceAll("-", "")]),
  );
  if (value === undefined || dashed.length <= (node.maxLength ?? Infinity)) return null;
  const advice = `write ${node.title ?? "a name"}, e.g. ${FIELD}${value}; a name chooses no zone`;
  return named === dashed ? { value } : { value, advice };
}

/** `>= 1.34`, `^1.34`, `1.34+`, `1.34 or newer`: any later version is wanted as well. */
const AT_LEAST = /^(?:>|\^|at least|min)|\+$|\b(?:newer|later|above|higher|up)$/i;

function readVersion(node: SchemaNode, text: string): Reading | null {
  const [minor] = /(?<!\d)\d{1,2}\.\d{1,3}/.exec(text) ?? [];
  if (minor !== undefined && accepts(node, minor) && AT_LEAST.test(text.trim()))
    return {
      problem: "is a range of versions, and the field takes one",
      advice: `omit kubernetesVersion for the newest, or write ${FIELD}"${minor}" for that one`,
    };
  if (minor !== undefined && accepts(node, minor))
    return { problem: "is not a minor version alone", value: minor, sure: true };
  return /^(latest|newest|stable|default)$/i.test(text) ? { advice: "omit kubernetesVersion for the newest" } : null;
}

/** The codes of areas in one text, as `EU CH`; null if one of them is not known. */
function areasIn(text: string): string[] | null {
  const found = text.split(/[\s,;/+&|]{1,4}/).map((part) => (/^[A-Za-z]{2,4}$/.test(part) ? findArea(part) : null));
  return found.length > 1 && found.every((one) => one !== null) ? found : null;
}

/** Why a text names no single area: it excludes one, or names several. Null for others. */
function notOneArea(text: string): Reading | null {
  if (/^(?:!|-|~|(?:not|no|except|without|non)[\s-])/i.test(text.trim()))
    return { problem: "excludes an area", advice: "remove it: only areas that are listed are allowed" };
  const several = areasIn(text.trim());
  return several === null
    ? null
    : { problem: "names several areas", advice: `write each as an item of its own: ${several.join(", ")}` };
}

/** A region among areas: its country, where that is known. */
function ofRegion(region: string): Reading {
  const country = countryOfRegion(region);
  const code = country === null ? "the code of the country that it lies in" : `${country}, the country that it lies in`;
  const advice = `write ${code}, or schedulingLocation: ${region} in place of dataResidency`;
  return { problem: "is a region and not an area", advice };
}

const AREA = (node: SchemaNode, text: string): Reading | null => {
  const value = findArea(text);
  const other = value === null ? notOneArea(text) : null;
  if (other !== null) return other;
  // "West Europe" is Azure's own name of westeurope.
  const region = text.trim().toLowerCase().replaceAll(/\s/g, "");
  if (value === null && /^[a-z0-9-]+$/.test(region) && placeOfRegion(region) !== null) return ofRegion(region);
  return value !== null && accepts(node, value) ? surely(value) : { problem: "is not an area or a country" };
};

/** `zones/europe-west4-a/machineTypes/e2-medium`, whole or as a URL. */
const TYPE_LINK = /\bmachineTypes\/([^/\s]{1,80})$/;

/** A link to a type; `m7i.large, m7i.xlarge`: an object takes one type. */
function readTypes(node: SchemaNode, text: string): Reading | null {
  const linked = TYPE_LINK.exec(text.trim())?.[1];
  if (linked !== undefined && accepts(node, linked)) return surely(linked, "is a link, and the field takes a name");
  const [first, ...others] = text.trim().split(/\s{0,4}[,;|]\s{0,4}|\s{1,4}or\s{1,4}/);
  return others.length > 0 && accepts(node, first) ? { problem: "names several types", value: first } : null;
}

function readImage(_node: SchemaNode, text: string): Reading | null {
  const system = systemOfImage(text);
  return system === null ? null : { problem: NOT_AN_IMAGE, advice: `write os: ${system} in its place` };
}

type ReadText = (node: SchemaNode, text: string) => Reading | null;

/** By `x-reads` of the schema. */
const READERS: Readonly<Record<string, ReadText>> = table({
  area: AREA,
  day: (_node, text) => readDay(text),
  image: readImage,
  duration: (node, text) => readDuration(text, node["x-zero"], node["x-bare-units"] as Units | undefined),
  name: readName,
  network: readNetwork,
  place: readPlace,
  price: readPrice,
  region: readRegion,
  "ssh-key": readKey,
  time: (_node, text) => readTime(text),
  type: readTypes,
  version: readVersion,
});

const SURE_LENGTH = 4;

/** A text that excludes a value: to write that value would say the opposite. */
const NEGATED = /^[!-]|\b(?:no|non|not|never|don'?t|except|without)\b/;

/** `no-schedule`, `No Schedule` and `NoSchedule` are the same word. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]+/g, "");

const digits = (text: string): string => text.replaceAll(/\D/g, "");

/** The value that is spelt nearly so; another digit is another version. */
function nearValue(all: readonly string[], text: string): { value: string; sure: boolean } | null {
  const [near, ...more] = nearestAll(text, all);
  return near === undefined ? null : { value: near, sure: more.length === 0 && digits(near) === digits(text) };
}

/** A value of a list: another name of it, or one that is spelt nearly so. */
function readEnum({ enum: all = [], "x-values": others = {} }: SchemaNode, text: string): Reading | null {
  const values = all.filter((value) => value !== null);
  const lower = text.trim().toLowerCase();
  const same = values.find((value) => plain(value) === plain(lower)) ?? ownValue(others, lower.replaceAll(/\s+/g, ""));
  if (same !== undefined) return { value: same, sure: true };
  if (NEGATED.test(lower)) return null;
  const near = nearValue([...values, ...Object.keys(others)], lower);
  if (near !== null) return { ...near, value: others[near.value] ?? near.value };
  const within = values.filter((value) => value.includes(lower) || lower.includes(value));
  // Of "24.04" only one value is meant; of "ubuntu", any.
  return within.length > 0 ? { value: within[0], sure: within.length === 1 && lower.length >= SURE_LENGTH } : null;
}

/** The value of a list that a text stands for; undefined for none. */
function valueIn(node: SchemaNode, text: string): string | undefined {
  const value = readEnum(node, text)?.value;
  return typeof value === "string" ? value : undefined;
}

/** `aws, gcp`, `aws or gcp`: several values of which a field takes one; null for others. */
function readSeveral(node: SchemaNode, text: string): Reading | null {
  const parts = text.trim().split(/\s{0,4}[,;|+/]\s{0,4}|\s{1,4}(?:or|and)\s{1,4}/i);
  const [first, ...others] = parts.map((part) => valueIn(node, part));
  if (first === undefined || others.length === 0 || others.includes(undefined)) return null;
  const problem = "names several values, of which the field takes one";
  const together = node["x-together"];
  if (together !== undefined) return surely(together, problem);
  const several = node["x-several"];
  const advice =
    several &&
    ofSeveral(
      several,
      [first, ...others].flatMap((one) => one ?? []),
    );
  return { problem, value: first, ...(advice && { advice }) };
}

/** The code of a rule that is none of these. */
function readRule({ enum: all = [] }: SchemaNode, text: string): Reading | null {
  if (
    !/^(?:ADM|POL|PLACEMENT|BUNDLE)_[A-Z_]{2,40}$/.test(text.trim()) ||
    nearestAll(text, all.map(textOf), 2).length > 0
  )
    return null;
  return { problem: "is a rule that no exemption can waive", advice: `remove it, or write one of ${all.join(", ")}` };
}

/** By `x-reads` of a field that takes some values. */
const AMONG: Readonly<Record<string, ReadText>> = table({
  provider: (_node, text) => readProvider(text),
  rule: readRule,
  system: readSystem,
});

/** A text of a field that takes some values. */
function readAmong(node: SchemaNode, text: string): Reading | null {
  return AMONG[node["x-reads"] ?? ""]?.(node, text) ?? readSeveral(node, text) ?? readEnum(node, text);
}

/** A size in words, which is the name of a type at no provider. */
const SIZE =
  /^(?:extra[ -]?|x{1,2}-?)?(?:small|medium|large|big)$|^(?:micro|nano|mini|tiny|huge|x{0,3}[slm]|x{1,3}l)$/i;

/** The correction of a size in words, given as an instance type; null for another text. */
export const readSize = (text: string): string | null =>
  SIZE.test(text.trim()) ? "write the size as numbers, e.g. cpu: 2 and memory: 4" : null;

/** By the kind of text that the field takes. */
function readAsMeant(node: SchemaNode, text: string): Reading | null {
  if (node.format === "date-time") return readTime(text, node["x-zone"]);
  if (node.enum !== undefined) return readAmong(node, text);
  const other = ownValue(node["x-values"], text.trim().toLowerCase());
  return other === undefined ? (READERS[node["x-reads"] ?? ""]?.(node, text) ?? null) : surely(other);
}

/** `web.`, `my team` and `example.com/my key` of a field for any name as `web`, `my-team` and `example.com/my-key`. */
function readFree(node: SchemaNode, text: string): Reading | null {
  if (node["x-free"] !== true) return null;
  const texts = [/[^\w./-]+/g, /[^\w.-]+/g].map((others) => trimEdges(text.replaceAll(others, "-"), "-._/"));
  const value = accepted(node, texts);
  return value === undefined || value === "" ? null : { value };
}

const SPACED = "has a space or a line break at its end";

/** `3h# three hours`: YAML takes a comment as a part of the text where no space stands before it. Null for other texts. */
function readCommented(node: SchemaNode, text: string): Reading | null {
  const [value = "", ...comment] = text.split("#");
  return comment.length > 0 && accepts(node, value)
    ? { problem: "has # without a space before it, and so no comment", value, sure: true }
    : null;
}

/** How a text that the field does not take can be understood. */
export function readText(node: SchemaNode, text: string): Reading | null {
  const trimmed = text.trim();
  if (trimmed === "") return { problem: "is empty" };
  const kept = node["x-reads"] === "area" ? findArea(trimmed) : trimmed;
  if (trimmed !== text && accepts(node, kept)) return surely(kept, SPACED);
  return readCommented(node, trimmed) ?? readAsMeant(node, text) ?? readFree(node, trimmed);
}
