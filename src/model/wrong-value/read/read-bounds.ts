import { textOf } from "../../json.ts";
import { accepts, FIELD, type Reading, type SchemaNode } from "../schema-node.ts";

/** A number outside of the bounds of its field; null for one inside. */
export function outside(node: SchemaNode, value: number): Reading | null {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = node;
  if (value <= exclusiveMinimum) {
    const least = `more than ${String(exclusiveMinimum)}`;
    return { problem: `is not ${least}`, advice: `write a number of ${least}` };
  }
  if (value >= minimum && value <= maximum) return null;
  return node["x-reads"] === "port" ? noPort(node, value) : beyond(node, value);
}

function beyond(node: SchemaNode, value: number): Reading {
  const { minimum = -Infinity, maximum = Infinity } = node;
  if (value < minimum) {
    // Of a dash that became a sign, the number is what is meant.
    const meant = accepts(node, -value) ? `, e.g. ${FIELD}${String(-value)}` : inSeconds(node, value);
    return { problem: `is less than ${String(minimum)}`, advice: `write ${String(minimum)} or more${meant}` };
  }
  const problem = `is more than ${String(maximum)}`;
  const gib = inMib(node, value);
  if (gib !== null)
    return { problem, advice: `write ${String(maximum)} or less, e.g. ${FIELD}${String(gib)} if MiB were meant` };
  // The bounds of what a machine has are wider than any machine is.
  return maximum < WIDE ? { problem, advice: `write ${String(maximum)} or less` } : { problem };
}

const KIBI = 1024;

const MS = 1000;

/** Of a number of milliseconds below one: that of so many seconds, as 20 of 0.02. */
function inSeconds(node: SchemaNode, value: number): string {
  const ms = Math.round(value * MS);
  const isMeant = node["x-unit"] === "ms" && value > 0 && value < 1 && accepts(node, ms);
  return isMeant ? `, e.g. ${FIELD}${String(ms)} if seconds were meant` : "";
}

/** A size in GiB of a number that can be one in MiB: 30720 is 30. Null for others. */
function inMib(node: SchemaNode, value: number): number | null {
  const gib = value / KIBI;
  return node["x-unit"] === "GiB" && Number.isInteger(gib) && accepts(node, gib) ? gib : null;
}

/** A bound that only keeps a number short. */
const WIDE = 100_000;

/** A port that there is not. The nearest one is never meant; without its last digit, one may be. */
function noPort(node: SchemaNode, value: number): Reading {
  const { minimum = 1, maximum = 65_535, examples: [example] = [] } = node;
  const shorter = Math.floor(value / 10);
  const meant = accepts(node, shorter) ? shorter : example;
  const range = `from ${String(minimum)} to ${String(maximum)}`;
  // In other tools, it stands for all ports.
  if (value <= 0)
    return {
      problem: "is not a port",
      advice: `write a port number ${range}, or port: ${String(minimum)} and toPort: ${String(maximum)} for all of them`,
    };
  return { problem: "is not a port", advice: `write a port number ${range}, e.g. ${FIELD}${textOf(meant)}` };
}

/** 0.5 percent, which a field for whole percent does not take: the next ones are meant, and not 50. */
function halfPercent(value: number): Reading {
  const [less, more] = [Math.floor(value), Math.ceil(value)].map(textOf);
  return {
    problem: "is not a whole number of percent",
    advice: `write ${more ?? ""} or ${less ?? ""}, e.g. ${FIELD}${more ?? ""}`,
  };
}

/** 10 for a share of 0.1. */
export function readShare({ "x-unit": unit }: SchemaNode, value: number): Reading | null {
  if (unit === "percent" && value > 0 && !Number.isInteger(value)) return halfPercent(value);
  return unit === "share" && value > 1 && value <= 100
    ? { problem: "is percent, and not a share", value: value / 100 }
    : null;
}

/** `8000-8010` instead of one port, `1-3` for the nodes of a pool. */
export function readRange({ "x-range": fields }: SchemaNode, text: string): Reading | null {
  const [, first, last] = /^\s*(\d{1,5})\s*(?:[-:]|\.\.)\s*(\d{1,5})\s*$/.exec(text) ?? [];
  const [from, to] = fields ?? [];
  if (first === undefined || last === undefined || from === undefined || to === undefined) return null;
  return { problem: "is a range", advice: `write ${from}: ${first} and ${to}: ${last}` };
}
