import { Ajv } from "ajv";
import { isObject } from "../../../model/json.ts";
import { firstProblem } from "../../../model/wrong-value/first-problem.ts";
import type { Schema } from "./lint-rule.ts";

/** The schema as the API server checks a default with it: a field that it does not name is an error. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      ["default", "enum", "const"].includes(key) ? value : closed(value),
    ]),
  );
  const { properties = {} } = schema;
  const isOpen =
    !isObject(properties) ||
    Object.keys(properties).length === 0 ||
    schema["x-kubernetes-preserve-unknown-fields"] === true;
  const keepsMore = isObject(schema["additionalProperties"]) || schema["additionalProperties"] === true;
  return isOpen || keepsMore ? inner : { ...inner, additionalProperties: false };
}

/** The problem of a schema's own default, after the defaults within it, for which the API server would refuse it; null for none. */
export function defaultProblem(schema: Schema, root: Schema): string | null {
  const ajv = new Ajv({ strict: false, useDefaults: true, validateFormats: false, logger: false });
  try {
    const whole = { ...(closed(schema) as Schema), $defs: closed(root["$defs"] ?? {}) };
    const validate = ajv.compile(whole);
    const filled: unknown = structuredClone(schema["default"]);
    return validate(filled) ? null : firstProblem(whole, filled, validate.errors);
  } catch {
    // Other rules say what is wrong with such a schema.
    return null;
  }
}
