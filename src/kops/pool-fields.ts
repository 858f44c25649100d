import { LandfallError } from "../errors.ts";
import { KAAS_DEFAULTS } from "./defaults.ts";
import { GROUP_LABEL, POOL_LABEL } from "./labels.ts";
import { KOPS_DEFAULTS } from "./kops-defaults.ts";
import { withoutCounterpart } from "./losses/lists.ts";
import { unlessEmpty } from "./merge.ts";
import { diskWithin, labelsWithin, taintsWithin } from "./schema-limits.ts";
import type { KaasPool, KopsCatalog, KopsProvider, Machine, Manifest, KaasTaint } from "./types.ts";

/** A taint in kOps's notation, key=value:effect; without `=` if it has no value. */
const writeTaint = ({ key, value, effect }: KaasTaint): string =>
  `${key}${value === undefined ? "" : `=${value}`}:${effect}`;

/** Throws KOPS_FIELD if the text is not a taint. */
function readTaint(taint: string, object: string): KaasTaint {
  const [, key, , value, effect] = /^([^=:]+)(=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(taint) ?? [];
  if (key === undefined || effect === undefined)
    throw new LandfallError("KOPS_FIELD", {
      object,
      field: "spec.taints",
      detail: `${taint} is not a key=value:effect`,
    });
  return value === undefined ? { key, effect } : { key, value, effect };
}

type Fields = Record<string, unknown>;

/** One row of the mapping: the part of a pool's InstanceGroup that it writes, and what it reads from one. */
export interface PoolField {
  kaas: string;
  kops: string;
  how: string;
  write: (pool: KaasPool, type: string) => Fields;
  /** Receives a manifest that its schema accepts, and the pool's name. */
  read: (manifest: Manifest, provider: KopsProvider, catalog: KopsCatalog) => Fields;
}

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Throws KOPS_MACHINE if the provider does not have the type, or the type is too small for a node. */
export function machineOf(object: string, provider: KopsProvider, type: string, { machines }: KopsCatalog): Machine {
  const machine = Object.hasOwn(machines[provider], type) ? machines[provider][type] : undefined;
  if (machine === undefined)
    throw new LandfallError("KOPS_MACHINE", { object, type, detail: `unknown at ${provider}` });
  if (machine.memoryGiB < 1)
    throw new LandfallError("KOPS_MACHINE", { object, type, detail: "smaller than any node (1 GiB)" });
  return machine;
}

/**
 * The catalog's name for a group's machine type. Flavour names match regardless of case. A group of Karpenter can lack
 * one: Karpenter then chooses among all.
 */
export function typeOf({ spec }: Manifest, provider: KopsProvider): string {
  const type = typeof spec["machineType"] === "string" ? spec["machineType"] : KOPS_DEFAULTS.machineType;
  return provider === "elemento" ? type.toLowerCase() : type;
}

/** kOps refuses a taint that a group has twice. */
const distinct = <T>(taints: readonly T[]): T[] =>
  taints.filter((taint, index) => withoutCounterpart([taint], taints.slice(0, index)).length > 0);

/** Karpenter sets no sizes unless the group does. */
function sizesOf({ spec }: Manifest): { minSize: number; maxSize: number } {
  const minSize = number(spec["minSize"]);
  return { minSize, maxSize: number(spec["maxSize"] ?? Math.max(minSize, KOPS_DEFAULTS.nodeCount)) };
}

function ownLabels({ metadata, spec }: Manifest): Fields | undefined {
  const { [GROUP_LABEL]: group, ...labels } = (spec["nodeLabels"] as Fields | undefined) ?? {};
  return unlessEmpty(group === undefined || group === metadata.name ? labels : { ...labels, [GROUP_LABEL]: group });
}

/** Mapping between a node InstanceGroup and a pool, field by field, in both directions. */
export const POOL_FIELDS: readonly PoolField[] = [
  {
    kaas: "spec.nodePools[].name",
    kops: "metadata.name, metadata.labels[landfall.dev/pool]",
    how: "Export: `nodes-<place>`, or `nodes-<pool>-<place>` with several pools. Import: the label, or the name without role and place.",
    write: ({ name }) => ({ metadata: { labels: { [POOL_LABEL]: name } } }),
    read: () => ({}),
  },
  {
    kaas: "spec.nodePools[].count, .min, .max",
    kops: "spec.minSize, spec.maxSize, spec.autoscale",
    how: "`count` sets both sizes. A pool with autoscaling has `autoscale`.",
    write: ({ count, min, max }) => ({
      spec: {
        autoscale: max !== undefined,
        maxSize: max ?? count ?? 1,
        minSize: max === undefined ? (count ?? 1) : (min ?? 0),
      },
    }),
    read: (group) => {
      const { minSize, maxSize } = sizesOf(group);
      const scales = group.spec["autoscale"] === true || minSize !== maxSize;
      return !scales || maxSize === 0 ? { count: minSize } : { min: minSize, max: maxSize };
    },
  },
  {
    kaas: "spec.poolInstanceTypes, spec.nodePools[].cpu, .memory, .gpu",
    kops: "spec.machineType",
    how: "Export: the decided type. Import: the type and its size; a group of Karpenter without a type gets `t3.medium`.",
    write: (_pool, type) => ({ spec: { machineType: type } }),
    read: (group, provider, catalog) => {
      const object = `InstanceGroup ${group.metadata.name ?? ""}`;
      const { vcpus, memoryGiB, gpus } = machineOf(object, provider, typeOf(group, provider), catalog);
      return { cpu: vcpus, memory: Math.floor(memoryGiB), ...(gpus > 0 ? { gpu: gpus } : {}) };
    },
  },
  {
    kaas: "spec.nodePools[].diskGiB",
    kops: "spec.rootVolumeSize",
    how: "The value, or the default: 64 GiB at export, kOps's 128 GiB on AWS at import. Import: from 32 to 2048.",
    write: ({ diskGiB }) => ({ spec: { rootVolumeSize: diskGiB ?? KAAS_DEFAULTS.diskGiB } }),
    read: ({ spec: { rootVolumeSize: size } }) => ({
      diskGiB: typeof size === "number" ? diskWithin(size) : undefined,
    }),
  },
  {
    kaas: "spec.nodePools[].labels",
    kops: "spec.nodeLabels",
    how: "Copied. Import: what a pool can have, without the label of the group's name.",
    write: ({ labels }) => ({ spec: { nodeLabels: unlessEmpty(labels) } }),
    read: (group) => ({ labels: unlessEmpty(labelsWithin(ownLabels(group))) }),
  },
  {
    kaas: "spec.nodePools[].taints",
    kops: "spec.taints",
    how: "Written as `key=value:effect`, each once.",
    write: ({ taints }) => ({ spec: { taints: unlessEmpty(distinct(taints?.map(writeTaint) ?? [])) } }),
    read: ({ metadata, spec }) => {
      const texts = (spec["taints"] as string[] | undefined) ?? [];
      const taints = distinct(texts).map((taint) => readTaint(taint, `InstanceGroup ${metadata.name ?? ""}`));
      return { taints: unlessEmpty(taintsWithin(taints)) };
    },
  },
];
