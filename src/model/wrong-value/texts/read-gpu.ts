import { isObject, ownValue } from "../../json.ts";
import { table } from "../../table.ts";
import { FIELD, type Reading, type SchemaNode } from "../schema-node.ts";

type Counts = Readonly<Record<string, number>>;

/** By model and provider, the types of the catalog (catalog/gpus.json) that have it, with their number of GPUs: the smallest is first. */
export const TYPES_WITH: Readonly<Record<string, Readonly<Record<string, Counts>>>> = table({
  T4: {
    azure: { Standard_NC4as_T4_v3: 1, Standard_NC8as_T4_v3: 1, Standard_NC16as_T4_v3: 1, Standard_NC64as_T4_v3: 4 },
    aws: {
      "g4dn.xlarge": 1,
      "g4dn.2xlarge": 1,
      "g4dn.4xlarge": 1,
      "g4dn.8xlarge": 1,
      "g4dn.12xlarge": 4,
      "g4dn.16xlarge": 1,
    },
  },
  L4: {
    aws: {
      ...{ "g6.xlarge": 1, "g6.2xlarge": 1, "g6.4xlarge": 1, "g6.8xlarge": 1, "g6.12xlarge": 4, "g6.16xlarge": 1 },
      ...{ "g6.24xlarge": 4, "g6.48xlarge": 8 },
    },
    gcp: {
      ...{ "g2-standard-4": 1, "g2-standard-8": 1, "g2-standard-12": 1, "g2-standard-16": 1, "g2-standard-24": 2 },
      ...{ "g2-standard-32": 1, "g2-standard-48": 4, "g2-standard-96": 8 },
    },
  },
  L40S: {
    aws: {
      ...{
        "g6e.xlarge": 1,
        "g6e.2xlarge": 1,
        "g6e.4xlarge": 1,
        "g6e.8xlarge": 1,
        "g6e.12xlarge": 4,
        "g6e.16xlarge": 1,
      },
      ...{ "g6e.24xlarge": 4, "g6e.48xlarge": 8 },
    },
  },
  A100: {
    azure: { Standard_NC24ads_A100_v4: 1, Standard_NC48ads_A100_v4: 2, Standard_NC96ads_A100_v4: 4 },
    gcp: { "a2-highgpu-1g": 1, "a2-highgpu-2g": 2, "a2-highgpu-4g": 4, "a2-highgpu-8g": 8 },
    aws: { "p4d.24xlarge": 8 },
  },
  "A100-80GB": {
    azure: { Standard_NC24ads_A100_v4: 1, Standard_NC48ads_A100_v4: 2, Standard_NC96ads_A100_v4: 4 },
    gcp: { "a2-ultragpu-1g": 1, "a2-ultragpu-2g": 2, "a2-ultragpu-4g": 4, "a2-ultragpu-8g": 8 },
    aws: { "p4de.24xlarge": 8 },
  },
  H100: {
    azure: { Standard_NC40ads_H100_v5: 1, Standard_NC80adis_H100_v5: 2, Standard_ND96isr_H100_v5: 8 },
    aws: { "p5.4xlarge": 1, "p5.48xlarge": 8 },
    gcp: { "a3-highgpu-8g": 8 },
  },
  H200: { azure: { Standard_ND96isr_H200_v5: 8 }, aws: { "p5en.48xlarge": 8 } },
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

/** The models that a provider has. */
const modelsOf = (provider: string): string[] =>
  Object.entries(TYPES_WITH).flatMap(([model, types]) => (types[provider] === undefined ? [] : [model]));

/** The types that have a model, as the end of a sentence: those of the provider that the object names. */
function typesWith(model: string, provider: string | undefined): string {
  const found = ownValue(TYPES_WITH, model);
  if (found === undefined)
    return `no type of the catalog has ${model}: there are ${Object.keys(TYPES_WITH).join(", ")}`;
  const all = Object.entries(found).flatMap(([name, types]) =>
    Object.keys(types)
      .slice(0, 1)
      .map((type) => [name, type] as const),
  );
  const own = all.filter(([name]) => provider === undefined || name === provider).map(([, type]) => type);
  if (own.length > 0) return `${model} comes with a type, which poolInstanceTypes names: ${own.join(", ")}`;
  const models = modelsOf(provider ?? "");
  const elsewhere = all.map(([name, type]) => `${type} of ${name}`).join(" or ");
  const instead = models.length === 0 ? "has no GPUs" : `has no ${model}, and has ${models.join(", ")}`;
  return `${provider ?? ""} ${instead}; ${model} comes with ${elsewhere}`;
}

const DEEPEST = 4;

/** The texts and numbers in a map or list. */
function leavesOf(value: unknown, depth = 0): unknown[] {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [value];
  return Object.values(value).flatMap((one) => leavesOf(one, depth + 1));
}

/** A model where the number of GPUs belongs, or a map with both; null for a value without a model. */
export function readGpu({ maximum = Infinity, "x-provider": provider }: SchemaNode, value: unknown): Reading | null {
  const leaves = leavesOf(value);
  const gpu = leaves.map((one) => (typeof one === "string" ? gpuIn(one) : null)).find((one) => one !== null);
  if (gpu === undefined) return null;
  const given = leaves.map(Number).find((one) => Number.isInteger(one) && one > 0 && one <= maximum);
  const count = gpu.count ?? given ?? 1;
  const problem = isObject(value) || Array.isArray(value) ? {} : { problem: "is a model, and not a number of GPUs" };
  return { ...problem, advice: `write ${FIELD}${String(count)}; ${typesWith(gpu.model, provider)}`, value: count };
}
