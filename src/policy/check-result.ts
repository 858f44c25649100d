import { Ajv } from "ajv";
import schema from "../../schemas/policy-result.schema.json" with { type: "json" };
import { isObject } from "../model/json.ts";

const validate = new Ajv({
  allErrors: false,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  validateSchema: false,
}).compile(schema);

/** What is wrong with a policy's answer by schemas/policy-result.schema.json; null where nothing is. For the probe. */
export function checkResult(result: unknown): string | null {
  if (validate(result)) return null;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath ?? ""} ${first?.message ?? ""}`.trim();
}

const LISTS = ["denials", "warnings", "candidates", "funnel", "write"];
const OBJECTS = ["rejected", "defaults", "objective", "schedule"];

/** The same question in a microsecond, for every request: whether the parts are there at all. */
export function missingPart(result: unknown): string | null {
  if (!isObject(result)) return "the answer is not an object";
  const part = LISTS.find((name) => !Array.isArray(result[name])) ?? OBJECTS.find((name) => !isObject(result[name]));
  return part === undefined ? null : `${part} is missing`;
}
