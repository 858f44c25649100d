import type { ErrorObject } from "ajv";
import type { Denial } from "../../model/decision.ts";
import { explainErrors, type Found } from "../../model/wrong-value/explain-errors.ts";
import { explainValue, given, shown } from "../../model/wrong-value/explain-value.ts";
import { dotted, nodeAt, type SchemaNode } from "../../model/wrong-value/schema-node.ts";
import { denial } from "./denial.ts";
import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import type { Kind } from "../../model/names.ts";

/** The schema of each kind's spec, with what it says for messages. */
export const SCHEMAS: Readonly<Record<Kind, SchemaNode>> = { VmTemplate: vmTemplate, KaasCluster: kaasCluster };

/** More denials would hide the first ones. */
const MAX_DENIALS = 5;

/** Durations and times have codes of their own. */
function codeOf(
  { keyword, value }: Found,
  { "x-reads": reads }: SchemaNode,
): "ADM_SCHEMA" | "ADM_DURATION" | "ADM_TIME" {
  if (typeof value !== "string") return "ADM_SCHEMA";
  if (keyword === "format") return "ADM_TIME";
  return reads === "duration" && keyword === "pattern" ? "ADM_DURATION" : "ADM_SCHEMA";
}

/** A denial for what is wrong at a place of the spec. */
function toDenial(schema: SchemaNode, found: Found): Denial {
  const { pointer, value, detail, correction, patch } = found;
  const where = { field: `spec${dotted(pointer)}`, actual: shown(pointer, value) };
  const params = { given: given(pointer, value), detail, correction };
  const made = denial(codeOf(found, nodeAt(schema, pointer)), where, params);
  return patch === undefined ? made : { ...made, patch };
}

/** The denials for the errors of a validator that reports all. */
export const schemaDenials = (schema: SchemaNode, spec: unknown, errors: readonly ErrorObject[]): Denial[] =>
  explainErrors(schema, spec, errors)
    .slice(0, MAX_DENIALS)
    .map((found) => toDenial(schema, found));

/** Nothing matches it: the schema accepts the value, and it is wrong nevertheless. */
const NOTHING = "(?!)";

/** The denial for a duration or a time of spec that the schema accepts, and that is none. */
export function timeDenial(schema: SchemaNode, pointer: string, value: unknown): Denial {
  const node = nodeAt(schema, pointer);
  const keyword = node.format === undefined ? "pattern" : "format";
  const { patch: _patch, ...rest } = explainValue(pointer, { ...node, pattern: NOTHING }, value);
  return toDenial(schema, { ...rest, pointer, value, keyword });
}
