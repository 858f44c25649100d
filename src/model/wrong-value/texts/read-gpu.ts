import { isObject } from "../../json.ts";
import { table } from "../../table.ts";
import { FIELD, type Reading, type SchemaNode } from "../schema-node.ts";

/** By model, the types of the catalog (catalog/gpus.json) that have the fewest of it. */
export const TYPES_WITH: Readonly<Record<string, readonly string[]>> = table({
  T4: ["Standard_NC4as_T4_v3", "g4dn.xlarge"],
  L4: ["g6.xlarge", "g2-standard-4"],
  L40S: ["g6e.xlarge"],
  A100: ["Standard_NC24ads_A100_v4", "a2-highgpu-1g", "p4d.24xlarge"],
  "A100-80GB": ["Standard_NC24ads_A100_v4", "a2-ultragpu-1g", "p4de.24xlarge"],
  H100: ["Standard_NC40ads_H100_v5", "p5.4xlarge", "a3-highgpu-8g"],
  H200: ["Standard_ND96isr_H200_v5", "p5en.48xlarge"],
});

/** A model and how many of it, in the words of other tools: `nvidia-tesla-t4`, `A100-80GB`, `NVIDIA H100 PCIe`, `T4:2`, `2x L4`. */
const MODEL =
  /^(?:(\d{1,2}) ?x ?)?(?:nvidia[-_ ./]?)?(?:tesla[-_ ]?|geforce[-_ ]?|quadro[-_ ]?)?((?:rtx[-_ ]?(?:pro[-_ ]?)?)?[abhlpvtgmk]\d{1,4}[a-z]{0,2}|rtx[-_ ]?\d{4}(?:[-_ ]?ti)?)(?:[-_ ](?:sxm\d?|pcie|nvl|hbm\d?e?|tensor[-_ ]core|vws))*(?:[-_ ]?(\d{2,3}) ?gb?)?(?:[-_ ](?:sxm\d?|pcie|nvl))?(?: ?[:x*] ?(\d{1,2}))?$/i;

interface Gpu {
  /** `A100-80GB` */
  model: string;
  count: number | null;
}

/** The model of a GPU that a text names; null for other texts. */
export function gpuIn(text: string): Gpu | null {
  const [, before, name, gib, after] = MODEL.exec(text.trim()) ?? [];
  if (name === undefined) return null;
  const model = name.toUpperCase().replaceAll(/[-_ ]/g, "-");
  const large = `${model}-${gib ?? ""}GB`;
  const count = before ?? after;
  return {
    model: gib !== undefined && large in TYPES_WITH ? large : model,
    count: count === undefined ? null : Number(count),
  };
}

/** The types that have a model, as the end of a sentence. */
function typesWith(model: string): string {
  const found = TYPES_WITH[model];
  return found === undefined
    ? `no type of the catalog has ${model}: there are ${Object.keys(TYPES_WITH).join(", ")}`
    : `${model} comes with a type, which poolInstanceTypes names: ${found.join(", ")}`;
}

const DEEPEST = 4;

/** The texts and numbers in a map or list. */
function leavesOf(value: unknown, depth = 0): unknown[] {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [value];
  return Object.values(value).flatMap((one) => leavesOf(one, depth + 1));
}

/** A model where the number of GPUs belongs, or a map with both; null for a value without a model. */
export function readGpu({ maximum = Infinity }: SchemaNode, value: unknown): Reading | null {
  const leaves = leavesOf(value);
  const gpu = leaves.map((one) => (typeof one === "string" ? gpuIn(one) : null)).find((one) => one !== null);
  if (gpu === undefined) return null;
  const given = leaves.map(Number).find((one) => Number.isInteger(one) && one > 0 && one <= maximum);
  const count = gpu.count ?? given ?? 1;
  const problem = isObject(value) || Array.isArray(value) ? {} : { problem: "is a model, and not a number of GPUs" };
  return { ...problem, advice: `write ${FIELD}${String(count)}; ${typesWith(gpu.model)}`, value: count };
}
