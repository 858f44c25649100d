import { join } from "node:path";
import { readCatalog } from "../../../bundle/catalog/read-catalog.ts";
import type { KopsCatalog, Machine } from "../../../kops/types.ts";

/** The mapping's part of the project's own catalog. `today`: 2026-11-23. Throws BUNDLE_DATA. */
export async function readKopsCatalog(root: string, today: string): Promise<KopsCatalog> {
  const { instanceTypes, elemento, places, kubernetes } = await readCatalog(join(root, "catalog"));
  const machines = Object.entries(instanceTypes.providers["aws"]?.types ?? {}).map(
    ([name, { vcpus, memoryGiB, gpus = 0, arch }]): [string, Machine] => [name, { vcpus, memoryGiB, gpus, arch }],
  );
  const flavours = Object.entries(elemento.flavours).map(([name, { vcpus, memoryGiB }]): [string, Machine] => [
    name,
    { vcpus, memoryGiB, gpus: 0, arch: "amd64" },
  ]);
  const regions = (provider: string): string[] =>
    Object.values(places.places).flatMap((place) => (place.provider === provider ? [place.region] : []));
  const ends = (provider: string): Record<string, string | null> =>
    Object.fromEntries(Object.entries(kubernetes.versions[provider] ?? {}).map(([version, { end }]) => [version, end]));
  return {
    today,
    kubernetes: { aws: ends("aws"), elemento: ends("elemento") },
    machines: { aws: Object.fromEntries(machines), elemento: Object.fromEntries(flavours) },
    regions: { aws: regions("aws"), elemento: regions("elemento") },
  };
}
