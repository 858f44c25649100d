import { LandfallError, messageOf } from "../../errors.ts";
import { hasMoreValues } from "../../model/formats/count-json.ts";

/** Of all schemas of a chart with its subcharts. Those of this project's charts have 20 kB and 1,000 values. */
const MOST = { bytes: 4 * 1024 * 1024, values: 200_000 };

const SCHEMA = /(?:^|\/)values\.schema\.json$/;
/** The keywords with the address of another schema, which Helm reads: from files and over HTTP. */
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];
/** The drafts that Helm's validator knows without reading them. */
const DRAFT = /^https?:\/\/json-schema\.org\/(?:draft-0[467]|draft\/20(?:19-09|20-12))\/schema#?$/;

interface Left {
  bytes: number;
  values: number;
}

/** The first keyword of one schema that leaves its file; null if none does. */
function problemOf(schema: Readonly<Record<string, unknown>>): string | null {
  for (const keyword of REFERENCES) {
    const value = schema[keyword];
    if (typeof value === "string" && !value.startsWith("#"))
      return `${keyword} ${value.slice(0, 200)} leaves the file; write that schema below $defs, and #/$defs/NAME here`;
  }
  const { $schema: draft } = schema;
  return typeof draft === "string" && !DRAFT.test(draft)
    ? `$schema ${draft.slice(0, 200)} is none of JSON Schema's own drafts`
    : null;
}

/** The first problem in a schema and all that it holds, also in what only looks like a schema. */
function firstProblem(schema: unknown): string | null {
  const open = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const problem = Array.isArray(value) ? null : problemOf(value as Record<string, unknown>);
    if (problem !== null) return problem;
    for (const inner of Object.values(value)) open.push(inner);
  }
  return null;
}

function schemaProblem(body: Buffer, left: Left): string | null {
  left.bytes -= body.length;
  if (left.bytes < 0) return `the schemas of the chart have more than ${String(MOST.bytes)} bytes`;
  const text = body.toString("utf8");
  if (hasMoreValues(text, left.values)) return `the schemas of the chart have more than ${String(MOST.values)} values`;
  try {
    return firstProblem(JSON.parse(text));
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/**
 * Checks that the schemas of a chart and of its unpacked subcharts refer to nothing outside of themselves: Helm would read files of this
 * process's machine, and addresses that it reaches, and quote them. Throws REL_CHART_UNREADABLE.
 */
export function assertOwnReferences(files: ReadonlyMap<string, Buffer>, chart: string): void {
  const left = { ...MOST };
  for (const [name, body] of files) {
    const problem = SCHEMA.test(name) ? schemaProblem(body, left) : null;
    if (problem !== null) throw new LandfallError("REL_CHART_UNREADABLE", { chart, detail: `${name}: ${problem}` });
  }
}
