import { LandfallError } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
import { nearestTypes } from "../model/text/nearest.ts";
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

/** Null for a text that is not a taint of Kubernetes. */
function readTaint(taint: string): KaasTaint | null {
  const [, key, , value, effect] = /^([^=:]+)(=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(taint) ?? [];
  if (key === undefined || effect === undefined) return null;
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

/** As many types that a misspelt one may mean. */
const MOST_TYPES = 3;

/** Why a provider has no such type, and the nearest that it has. */
function unknownType(
  provider: KopsProvider,
  type: string,
  machines: Readonly<Record<string, Machine>>,
): { detail: string; correction: string } {
  const near = nearestTypes(type, Object.keys(machines)).slice(0, MOST_TYPES);
  const listed = `use a type that \`landfall types --provider ${provider}\` lists`;
  return {
    detail: `unknown at ${provider}`,
    correction: near.length === 0 ? listed : `write machineType: ${near.join(" or ")}, if that is meant, or ${listed}`,
  };
}

/** Throws KOPS_MACHINE if the provider does not have the type, or the type is too small for a node. */
export function machineOf(object: string, provider: KopsProvider, type: string, { machines }: KopsCatalog): Machine {
  const machine = Object.hasOwn(machines[provider], type) ? machines[provider][type] : undefined;
  if (machine === undefined)
    throw new LandfallError("KOPS_MACHINE", { object, type, ...unknownType(provider, type, machines[provider]) });
  if (machine.memoryGiB < 1)
    throw new LandfallError("KOPS_MACHINE", {
      ...{ object, type, detail: "smaller than any node (1 GiB)", correction: "use a larger type of the catalog" },
    });
  return machine;
}

/** The types that a group may have, in its own order: of several, a pool gets the first that is known. */
function typesOf({ spec }: Manifest): string[] {
  const policy = isObject(spec["mixedInstancesPolicy"]) ? spec["mixedInstancesPolicy"] : {};
  const mixed = Array.isArray(policy["instances"]) ? policy["instances"].map(textOf) : [];
  return typeof spec["machineType"] === "string" ? spec["machineType"].split(",") : mixed;
}

/**
 * The catalog's name for a group's machine type. Flavour names match regardless of case. A group of Karpenter can lack one, and a
 * policy that only says what a machine has: Karpenter or AWS then chooses among all.
 */
export function typeOf(group: Manifest, provider: KopsProvider, { machines }: KopsCatalog): string {
  const named = typesOf(group).map((type) => (provider === "elemento" ? type.toLowerCase() : type));
  return named.find((type) => Object.hasOwn(machines[provider], type)) ?? named[0] ?? KOPS_DEFAULTS.machineType;
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
    how: "Export: the decided type. Import: the type and its size; of several the first that is known, and without any `t3.medium`.",
    write: (_pool, type) => ({ spec: { machineType: type } }),
    read: (group, provider, catalog) => {
      const object = `InstanceGroup ${group.metadata.name ?? ""}`;
      const { vcpus, memoryGiB, gpus } = machineOf(object, provider, typeOf(group, provider, catalog), catalog);
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
    how: "Copied. Import: what a pool can have, without the label of the group's name and Kubernetes' own; on AWS without EKS' own and those without a value.",
    write: ({ labels }) => ({ spec: { nodeLabels: unlessEmpty(labels) } }),
    read: (group, provider) => ({ labels: unlessEmpty(labelsWithin(ownLabels(group), provider === "aws")) }),
  },
  {
    kaas: "spec.nodePools[].taints",
    kops: "spec.taints",
    how: "Written as `key=value:effect`, each once. Import: those of an effect that Kubernetes has, and on AWS none of Kubernetes' own keys.",
    write: ({ taints }) => ({ spec: { taints: unlessEmpty(distinct(taints?.map(writeTaint) ?? [])) } }),
    read: ({ spec }, provider) => {
      const texts = (spec["taints"] as string[] | undefined) ?? [];
      const taints = distinct(texts).map(readTaint);
      return {
        taints: unlessEmpty(
          taintsWithin(
            taints.filter((taint) => taint !== null),
            provider === "aws",
          ),
        ),
      };
    },
  },
];
