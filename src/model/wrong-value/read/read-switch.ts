import { isObject, textOf } from "../../json.ts";
import { type Reading, type SchemaNode, surely } from "../schema-node.ts";

const YES = /^(true|yes|y|on|1|enabled?)$/i;
const NO = /^(false|no|n|off|0|disabled?|none)$/i;

/** `access_config {}` of Terraform: what stands there turns the switch on, even without content. */
function byPresence(value: unknown): Reading | null {
  if (Array.isArray(value)) return { value: value.length > 0 };
  return isObject(value) ? { value: true } : null;
}

function byWord(value: unknown): Reading | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const text = textOf(value);
  const found = YES.test(text) ? true : NO.test(text) ? false : null;
  return found === null
    ? null
    : surely(found, typeof value === "string" ? "is a text, because of its quotes" : "is a number");
}

/** A switch, which other tools give more values than two. */
export function readSwitch({ "x-present": present }: SchemaNode, value: unknown): Reading | null {
  if (isObject(value) && typeof value["enabled"] === "boolean") return surely(value["enabled"], "is a map");
  return present === true && typeof value === "object" ? byPresence(value) : byWord(value);
}
