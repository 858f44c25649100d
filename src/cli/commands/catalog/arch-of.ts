import vmTemplate from "../../../../schemas/vm-template.schema.json" with { type: "json" };
import { LandfallError } from "../../../errors.ts";
import { readValue } from "../../../model/wrong-value/read/read-value.ts";
import type { SchemaNode } from "../../../model/wrong-value/schema-node.ts";

const ARCH: SchemaNode = vmTemplate.properties.arch;

/** An architecture; for its other names, the message has the right one. Throws CLI_UNKNOWN_NAME. */
export function archOf(actual: string): string {
  const all = vmTemplate.properties.arch.enum;
  if (all.includes(actual)) return actual;
  const meant = readValue(ARCH, actual)?.value;
  const advice = typeof meant === "string" ? `--arch ${meant}` : all.join(" or ");
  throw new LandfallError("CLI_UNKNOWN_NAME", { option: "--arch", actual, what: "an architecture", advice });
}

