import { trimEdges } from "../../text/trim-edges.ts";
import { accepts, FIELD, type Reading, type SchemaNode, surely } from "../schema-node.ts";

/** `{Key: team, Value: web}` of AWS, `{name: team, value: web}` of a container. */
export function pairOf(one: Record<string, unknown>): Record<string, unknown> {
  const by = (...names: string[]): unknown => names.map((name) => one[name]).find((value) => value !== undefined);
  const [key, value] = [by("key", "Key", "name", "Name"), by("value", "Value")];
  return typeof key === "string" && value !== undefined ? { [key]: value } : one;
}

/** A word that is an id or a name: `my-vpc` of a network is `{existing: {network: my-vpc}}`. Null for others. */
export function readWord({ "x-words": words = {} }: SchemaNode, value: unknown): Reading | null {
  const text = typeof value === "string" && /^[\w./:-]{1,300}$/.test(value) ? value : null;
  const [, path] = Object.entries(words).find(([pattern]) => new RegExp(pattern, "u").test(text ?? "")) ?? [];
  if (path === undefined || text === null) return null;
  return { value: path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), text) };
}

/** A port, or a range of ports. */
interface Ports {
  port: number;
  toPort?: number;
  protocol?: string;
}

/** `8080` or `8080-8090`. */
function portsOf(text: string, protocol: string | undefined): Ports {
  const [first = "", last] = text.split("-");
  return {
    port: Number(first),
    ...(last === undefined || last === first ? {} : { toPort: Number(last) }),
    ...(protocol === undefined ? {} : { protocol: protocol.toLowerCase() }),
  };
}

/** Ports of a container at others of the machine: a machine maps none. */
function mapped(outer: string, inner: string, protocol: string | undefined): Reading {
  const value = portsOf(outer, protocol);
  if (outer === inner) return surely(value);
  const written = Object.entries(value).map(([name, one]) => `${name}: ${String(one)}`);
  const advice = `write {${written.join(", ")}}, on which the program itself listens: no port is mapped to ${inner}`;
  return { value, advice };
}

/** Addresses of the machine itself. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[?::1\]?)$/i;
const NOT_OPEN: Reading = {
  advice:
    "remove it: a port of 127.0.0.1 is one that only the machine itself uses, and it stays closed without an entry",
};

const PORTS = String.raw`(\d{1,5}(?:-\d{1,5})?)`;
const ADDRESS = String.raw`(?:(\[[\da-f:]{2,39}\]|::1|localhost|\d{1,3}(?:\.\d{1,3}){3}):)?`;
const PUBLISHED = new RegExp(String.raw`^${ADDRESS}${PORTS}?:${PORTS}(?:/(tcp|udp))?$`, "i");

/** `8080:80` of docker-compose, perhaps with ranges and an address: the machine's port, then the container's. Null for another text. */
function readPublished(text: string): Reading | null {
  const [, address, outer, inner = "", protocol] = PUBLISHED.exec(text) ?? [];
  if (inner === "") return null;
  return LOOPBACK.test(address ?? "") ? NOT_OPEN : mapped(outer ?? inner, inner, protocol?.toLowerCase());
}

/** `22/tcp`, `8080-8090`, and `8080:80` of docker-compose. */
export function readPortText(given: string): Reading | null {
  const text = given.trim();
  if (/^(?:all|any|\*|0-65535)$/i.test(text)) return { value: { port: 1, toPort: 65_535 } };
  const published = readPublished(text);
  if (published !== null) return published;
  const usual = text.replace(/^(tcp|udp)[/:](.{1,11})$/i, "$2/$1");
  const [, ports, protocol] = /^(\d+(?:-\d+)?)(?:\/(tcp|udp))?$/i.exec(usual) ?? [];
  return ports === undefined ? null : surely(portsOf(ports, protocol));
}

/** A volume of a container at a path: `recordings:/var/recordings`, `./data:/data:ro`. */
const MOUNT = /^([\w.~/-]{1,100}):(\/[\w./-]{1,100})(?::[a-z,]{1,10})?$/i;

/** The name of a disk in place of a volume; null for another text. */
function nameOfMount({ properties = {} }: SchemaNode, text: unknown): string | null {
  const [, source = ""] = MOUNT.exec(typeof text === "string" ? text : "") ?? [];
  if (source === "" || properties["sizeGiB"] === undefined) return null;
  const last = source.split("/").findLast((part) => part !== "") ?? "";
  const name = trimEdges(last.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"), "-");
  return accepts(properties["name"] ?? {}, name) ? name : null;
}

const mountedAs = (names: readonly string[], isList: boolean): Reading => {
  const disks = names.map((name) => `{name: ${name}, sizeGiB: <GiB>}`);
  const written = isList ? `${FIELD}[${disks.join(", ")}]` : disks.join(", ");
  const [it, mounts] = names.length === 1 ? ["it is", "it"] : ["they are", "them"];
  return {
    advice: `write ${written} with its size; ${it} not mounted: commands of userData format and mount ${mounts}`,
  };
};

/** A volume of a container in place of a disk: it has a name, and no size. */
export function readMount(node: SchemaNode, value: unknown): Reading | null {
  const name = nameOfMount(node, value);
  return name === null ? null : mountedAs([name], false);
}

/** The same of all in a list. */
export function readMounts(node: SchemaNode, values: readonly unknown[]): Reading | null {
  const names = values.map((one) => nameOfMount(node, one));
  return names.length > 0 && names.every((one) => one !== null) ? mountedAs([...new Set(names)], true) : null;
}

/** A text without what another notation left at its end. */
interface Tidied {
  text: string;
  problem: string;
}

const COMMENT = /^([^\s#/]{1,100})\s{0,4}(?:\/\/|#).{0,200}$/;
const ENDED = /^(.{0,200}[^\s,;])\s{0,4}([,;])$/;

/** Quotes of editors of texts and other languages, which YAML reads as part of the text, and quotes within quotes. */
const QUOTED =
  /^["'`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb]{1,2}([^"'`\u2018-\u201f]{1,100})["'`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb]{1,2}$/;

/** `“2”` and `"'2'"` without the quotes that belong to the text; null for other texts. */
function unquoted(text: string): Tidied | null {
  const inner = QUOTED.exec(text)?.[1]?.trim();
  if (inner === undefined || inner === "") return null;
  const isOrdinary = /^["']/.test(text);
  const problem = isOrdinary ? "has quotes within its quotes" : "has quotes that YAML does not know";
  return { text: inner, problem };
}

/** `2,` of JSON, and of a field that takes no longer texts `2 // two` and `2#two`; a text in quotes of its own; null for other texts. */
export function tidyText(written: string, isShort: boolean): Tidied | null {
  const text = written.trim();
  const inner = unquoted(text);
  if (inner !== null) return inner;
  const [, ended, sign] = ENDED.exec(text) ?? [];
  if (ended !== undefined && sign !== undefined)
    return { text: ended, problem: `has a ${sign === "," ? "comma" : "semicolon"} at its end` };
  const [, value] = (isShort ? COMMENT.exec(text) : null) ?? [];
  return value === undefined ? null : { text: value, problem: "holds a comment: in YAML it begins with a space and #" };
}
