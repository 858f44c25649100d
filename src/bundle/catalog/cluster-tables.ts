import { DAY_SECONDS } from "../../model/time.ts";
import type { TypeRow } from "../../model/bundle-format/packed-prices.ts";
import { GPU_FAMILY, type KubernetesFile, type ProviderTypes } from "./catalog-files.ts";

export interface ClusterTables {
  /** provider -> type -> index in the bundle's types; they come after all others. */
  gpuIds: Record<string, Record<string, number>>;
  /** provider -> Kubernetes versions, newest first; support ends at `end` (seconds since 1970), after `day`. */
  kubernetes: Record<string, { version: string; end: number | null; day: string | null }[]>;
}

/** The types with GPUs, for the bundle's table from `offset`. */
export function gpuTypes(
  providers: Record<string, ProviderTypes>,
  offset: number,
): { rows: TypeRow<(number | null)[]>[]; gpuIds: ClusterTables["gpuIds"] } {
  const rows: TypeRow<(number | null)[]>[] = [];
  const gpuIds: ClusterTables["gpuIds"] = {};
  for (const [provider, { types }] of Object.entries(providers)) {
    const ids: Record<string, number> = (gpuIds[provider] = {});
    for (const [name, type] of Object.entries(types)) {
      if (type.family !== GPU_FAMILY) continue;
      const { vcpus, memoryGiB, prices, arch, gpus = 0 } = type;
      ids[name] = offset + rows.push([name, vcpus, memoryGiB, prices, arch, type.class, GPU_FAMILY, gpus]) - 1;
    }
  }
  return { rows, gpuIds };
}

const minor = (version: string): number => Number(version.split(".")[1]);

/** Support ends with the end of its last day, UTC. */
const endOf = (day: string | null): number | null =>
  day === null ? null : Date.parse(`${day}T00:00:00Z`) / 1000 + DAY_SECONDS;

export function kubernetesVersions({ versions }: KubernetesFile): ClusterTables["kubernetes"] {
  return Object.fromEntries(
    Object.entries(versions).map(([provider, entries]) => [
      provider,
      Object.entries(entries)
        .map(([version, { end }]) => ({ version, end: endOf(end), day: end }))
        .sort((a, b) => minor(b.version) - minor(a.version)),
    ]),
  );
}
