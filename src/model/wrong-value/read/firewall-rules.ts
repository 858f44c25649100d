import { isObject, textOf } from "../../json.ts";
import type { SchemaNode } from "../schema-node.ts";
import { DEEPEST, folded } from "./read-within.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Whether an example would open what the object does not ask for: that of a port, next to networks that may connect. */
export const isOpening = ({ "x-reads": reads }: SchemaNode): boolean => reads === "port";

/** Whether a field takes entries that open ports. */
export const opensPorts = ({ items }: SchemaNode): boolean => Object.values(items?.properties ?? {}).some(isOpening);

/** The correction of rules without a port that can be read: an example would open another one. */
export const EACH_PORT = "write ports in its place, with an entry for each port or range that it opens";

/** Names of what a firewall closes, or lets out. */
const CLOSES = /^(?:den(?:y|ied)|drop|block(?:ed)?|reject|egress|outbound|exclude)/;
/** Fields whose value says that a rule closes, or lets out. */
const SAYS = ["action", "access", "direction", "type", "ruleaction", "policy"];
/** Switches of a rule, with the value that turns it off. */
const OFF: Fields = { enabled: false, disabled: true };
const PROTOCOLS = ["protocol", "ipprotocol", "proto"];
/** Protocols without ports, and all protocols. */
const WITHOUT_PORTS = /^(?:icmp.*|-1|all|any|\*|esp|ah|gre|sctp|1|58)$/;

/** Whether a field says that its rule opens no port. */
function closes(written: string, value: unknown): boolean {
  const [name, text] = [folded(written), textOf(value).toLowerCase()];
  if (CLOSES.test(name) || OFF[name] === value) return true;
  return SAYS.includes(name) ? CLOSES.test(text) : PROTOCOLS.includes(name) && WITHOUT_PORTS.test(text);
}

/** Fields that hold the ports of a rule in words of their own. */
const PORTS = /^(?:destination)?ports?(?:range)?s?$/;

/** The ports of `8080-8090`, or one port; empty for another text. */
function portIn(value: unknown): Fields {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(textOf(value).trim()) ?? [];
  return first === undefined ? {} : { port: Number(first), toPort: Number(last) };
}

/** Maps that choose who may connect, as a whole. */
const CHOOSES = /selector|group/;

const holdsRules = (name: string, value: unknown): boolean =>
  !CHOOSES.test(folded(name)) &&
  [value].flat().every((one) => isObject(one) && Object.keys(one).length > 0) &&
  [value].flat().length > 0;

/** The rules that one stands for, each with what stands around it: `allow: [{ports: ["80"]}]` next to `sourceRanges`. Null for one that is a single rule. */
function partsOf(rule: Fields): Fields[] | null {
  const entries = Object.entries(rule);
  const [name = "", inner] =
    entries.find(([key, one]) => holdsRules(key, one)) ??
    entries.find(([key, one]) => PORTS.test(folded(key)) && (Array.isArray(one) || key !== "port")) ??
    [];
  if (name === "") return null;
  const { [name]: _inner, ...others } = rule;
  return [inner].flat().map((one) => ({ ...others, ...(isObject(one) ? one : portIn(one)) }));
}

/** An object has no more ports. */
const MOST = 50;

/** Rules without others within them; none where they are too many. */
function flattened(given: readonly Fields[]): Fields[] {
  let rules = [...given];
  for (let depth = 0; depth <= DEEPEST && rules.length <= MOST; depth += 1) {
    const parts = rules.map(partsOf);
    if (parts.every((one) => one === null)) return rules;
    rules = rules.flatMap((rule, index) => parts[index] ?? [rule]);
  }
  return [];
}

/** Whether a rule, or one within it, opens no port: to write it as an open one would say the opposite. */
const isClosing = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isClosing)
    : isObject(value) && Object.entries(value).some(([name, one]) => closes(name, one) || isClosing(one));

/** The rules of a firewall in the words of another tool, each with one port or range; none if some of them open no port. */
export const rulesIn = (value: unknown): Fields[] =>
  isClosing(value) ? [] : flattened([value].flat().filter(isObject));

/** Fields that say who may connect. */
const SOURCES = /cidr|^source(?!port)|^src(?!port)|^remote|^from$|^peer|^self$|group|prefix|iprange|address|selector/;

/** Whether a rule limits who may connect: without that limit, an entry would open its port to all. */
export const isLimited = (rule: Fields): boolean =>
  Object.entries(rule).some(([name, one]) => SOURCES.test(folded(name)) && !/^(?:\d+|true|false)$/.test(textOf(one)));

type IsPorts = (name: string) => boolean;

const holdsPorts = (value: unknown, isPorts: IsPorts): boolean =>
  Array.isArray(value)
    ? value.some((one) => holdsPorts(one, isPorts))
    : isObject(value) && Object.entries(value).some(([name, one]) => isPorts(name) || holdsPorts(one, isPorts));

/** Whether ports stand below something that closes them or limits who may connect: alone, they would be open to all. */
export function areLimited(value: unknown, isPorts: IsPorts): boolean {
  if (Array.isArray(value)) return value.some((one) => areLimited(one, isPorts));
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  const limits = isLimited(value) || entries.some(([name, one]) => closes(name, one));
  return (limits && holdsPorts(value, isPorts)) || entries.some(([, one]) => areLimited(one, isPorts));
}
