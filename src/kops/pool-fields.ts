import { LandfallError } from "../errors.ts";
import { KAAS_DEFAULTS } from "./defaults.ts";
import { GROUP_LABEL, POOL_LABEL } from "./labels.ts";
import { unlessEmpty } from "./merge.ts";
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

const scales = ({ spec }: Manifest): boolean => spec["autoscale"] === true || spec["minSize"] !== spec["maxSize"];

/** Throws KOPS_MACHINE if the provider does not have the type, or the type is too small for a node. */
export function machineOf(object: string, provider: KopsProvider, type: string, { machines }: KopsCatalog): Machine {
  const machine = Object.hasOwn(machines[provider], type) ? machines[provider][type] : undefined;
  if (machine === undefined)
    throw new LandfallError("KOPS_MACHINE", { object, type, detail: `unknown at ${provider}` });
  if (machine.memoryGiB < 1)
    throw new LandfallError("KOPS_MACHINE", { object, type, detail: "smaller than any node (1 GiB)" });
  return machine;
}

/** The catalog's name for a group's machine type. Flavour names match regardless of case. */
export function typeOf({ spec }: Manifest, provider: KopsProvider): string {
  const type = String(spec["machineType"]);
  return provider === "elemento" ? type.toLowerCase() : type;
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
      const { minSize, maxSize } = group.spec;
      if (!scales(group) || number(maxSize) === 0) return { count: number(minSize) };
      return { min: number(minSize), max: number(maxSize) };
    },
  },
  {
    kaas: "spec.poolInstanceTypes, spec.nodePools[].cpu, .memory, .gpu",
    kops: "spec.machineType",
    how: "Export: the decided type. Import: the type and its size.",
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
    how: "The value, or the default.",
    write: ({ diskGiB }) => ({ spec: { rootVolumeSize: diskGiB ?? KAAS_DEFAULTS.diskGiB } }),
    read: ({ spec }) => ({ diskGiB: spec["rootVolumeSize"] }),
  },
  {
    kaas: "spec.nodePools[].labels",
    kops: "spec.nodeLabels",
    how: "Copied. Import: without the label of the group's name.",
    write: ({ labels }) => ({ spec: { nodeLabels: unlessEmpty(labels) } }),
    read: (group) => ({ labels: ownLabels(group) }),
  },
  {
    kaas: "spec.nodePools[].taints",
    kops: "spec.taints",
    how: "Written as `key=value:effect`.",
    write: ({ taints }) => ({ spec: { taints: unlessEmpty(taints?.map(writeTaint)) } }),
    read: ({ metadata, spec }) => ({
      taints: (spec["taints"] as string[] | undefined)?.map((taint) =>
        readTaint(taint, `InstanceGroup ${metadata.name ?? ""}`),
      ),
    }),
  },
];
