import { textOf } from "../../json.ts";
import { readPriceOf } from "../texts/read-price.ts";
import { readValue } from "./read-value.ts";
import type { Reading, SchemaNode } from "../schema-node.ts";

/** The unit at the end of a name: `memoryMiB`, `latency_seconds`. */
const UNIT = /(?:[a-z_-](MiB|MB|Mi|KiB|KB|Bytes)|_?(mib|mb|kib|kb|seconds|secs|percent)|Seconds|Millicores)$/;

/** `activeDeadlineSeconds: 7200`: a duration in the unit of its name; null for other fields. */
function readLengthOf(child: SchemaNode, name: string, value: unknown): Reading | null {
  const [, unit] = /(seconds|minutes|hours|days)/i.exec(name) ?? [];
  return unit === undefined || !/^\d{1,10}$/.test(textOf(value)) ? null : readValue(child, `${textOf(value)} ${unit}`);
}

/** `mib` of `memoryMiB`; empty for a name without a unit. */
function unitIn(name: string): string {
  const [whole = "", capital, small] = UNIT.exec(name) ?? [];
  return (capital ?? small ?? whole).toLowerCase();
}

/** A number in the unit that the name of its field says; null for other fields. */
export function readInUnit(child: SchemaNode, { name, value }: { name: string; value: unknown }): Reading | null {
  if (child["x-reads"] === "duration") return readLengthOf(child, name, value);
  if (child["x-reads"] === "price") return readPriceOf(child, name, value);
  const unit = unitIn(name);
  if (child["x-unit"] === undefined || unit === "" || !/^\d{1,12}$/.test(textOf(value))) return null;
  if (unit === "bytes") return readValue(child, Number(value));
  return readValue(child, `${textOf(value)} ${unit === "millicores" ? "m" : unit}`);
}
