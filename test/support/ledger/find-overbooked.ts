import { apiPath } from "../../../src/cluster/api-path.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import type { ExistingWorkload } from "../../../src/model/cluster-data.ts";
import { readWorkload } from "../../../src/model/read-workload.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";

export const ALL_VMS = apiPath`/apis/composition.krateo.io/v0-2-0/vmtemplates`;
export const vmsOf = (namespace: string) =>
  apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${namespace}/vmtemplates`;

/** What is stored, as quotas and budgets count it. */
export async function storedWorkloads(client: KubeClient): Promise<ExistingWorkload[]> {
  const found = await client.get<{ items: WorkloadObject[] }>(ALL_VMS);
  return (found?.items ?? []).map((object) => readWorkload("VmTemplate", object));
}

/** Sums by key. */
function sums(entries: Iterable<readonly [key: string, vcpus: number]>): Map<string, number> {
  const all = new Map<string, number>();
  for (const [key, vcpus] of entries) all.set(key, (all.get(key) ?? 0) + vcpus);
  return all;
}

/** Of long-running machines the hours of a day, of others those of their run. */
function* hoursOf({ start, end }: ExistingWorkload): Generator<number> {
  const from = Math.floor((start ?? 0) / HOUR_SECONDS);
  const to = end === null ? from + 24 : Math.ceil(end / HOUR_SECONDS);
  for (let hour = from; hour < to; hour++) yield hour;
}

/** The limits that these objects exceed together: of places in any hour, and of namespaces. Empty if they keep all. */
export function findOverbooked(
  workloads: readonly ExistingWorkload[],
  { budget, quotas }: { budget: number; quotas: Readonly<Record<string, number>> },
): string[] {
  const byHour = workloads.flatMap((one) =>
    one.place === null
      ? []
      : [...hoursOf(one)].map((hour) => [`${String(one.place)} in hour ${String(hour)}`, one.vcpus] as const),
  );
  const byNamespace = workloads.map(({ namespace, vcpus }) => [namespace, vcpus] as const);
  return [
    ...[...sums(byHour)].filter(([, vcpus]) => vcpus > budget),
    ...[...sums(byNamespace)].filter(([namespace, vcpus]) => vcpus > (quotas[namespace] ?? Infinity)),
  ].map(([key, vcpus]) => `${key}: ${String(vcpus)} vCPU`);
}
