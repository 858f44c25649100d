import { fileURLToPath } from "node:url";
import { readKopsCatalog } from "../../src/cli/commands/kops/read-kops-catalog.ts";
import type { KaasPool, KaasSpec, KopsCatalog } from "../../src/kops/types.ts";

/** The project's own catalog, as the commands read it. */
export const kopsCatalog: KopsCatalog = await readKopsCatalog(
  fileURLToPath(new URL("../..", import.meta.url)),
  "2026-11-21",
);

type Fields = Record<string, unknown>;

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const isGiven = (value: object | undefined): boolean => value !== undefined && Object.keys(value).length > 0;

/** kOps refuses a taint that a group has twice. */
const distinct = <T>(taints: readonly T[] = []): T[] => [
  ...new Map(taints.map((taint) => [JSON.stringify(Object.entries(taint as Fields).sort()), taint])).values(),
];

/** EKS refuses labels without a value. */
const labelsOf = ({ labels = {} }: KaasPool, { provider }: KaasSpec): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([, value]) => provider !== "aws" || value !== ""));

function poolComesBack(pool: KaasPool, spec: KaasSpec): Fields {
  const type = spec.poolInstanceTypes[pool.name] ?? "";
  const machine = kopsCatalog.machines[spec.provider][type];
  if (machine === undefined) throw new Error(`no machine ${type}`);
  const labels = labelsOf(pool, spec);
  const size = pool.max === undefined ? { count: pool.count ?? 1 } : { min: pool.min ?? 0, max: pool.max };
  return defined({
    name: pool.name,
    ...size,
    cpu: machine.vcpus,
    memory: Math.floor(machine.memoryGiB),
    gpu: machine.gpus > 0 ? machine.gpus : undefined,
    diskGiB: pool.diskGiB ?? 64,
    labels: isGiven(labels) ? labels : undefined,
    taints: isGiven(pool.taints) ? distinct(pool.taints) : undefined,
  });
}

/** As the charts have it. */
const DEFAULT_ENDPOINT: Record<KaasSpec["provider"], string> = { aws: "private", elemento: "public" };

/** What must survive a round trip of a decided cluster through kOps: every mapped field, with explicit defaults. */
export function comesBack(spec: KaasSpec): Fields {
  const aws = spec.provider === "aws";
  const nodeCidr = spec.network?.nodeCidr ?? "10.0.0.0/16";
  const serviceCidr = spec.network?.serviceCidr ?? "172.20.0.0/16";
  return defined({
    provider: spec.provider,
    schedulingLocation: spec.schedulingLocation,
    kubernetesVersion: spec.kubernetesVersion,
    zones: aws ? spec.zones : undefined,
    highAvailability: spec.highAvailability ?? false,
    endpoint: spec.endpoint ?? DEFAULT_ENDPOINT[spec.provider],
    network: aws ? { nodeCidr, serviceCidr } : { nodeCidr },
    tags: isGiven(spec.tags) ? spec.tags : undefined,
    nodePools: spec.nodePools.map((pool) => poolComesBack(pool, spec)),
    poolInstanceTypes: spec.poolInstanceTypes,
  });
}
