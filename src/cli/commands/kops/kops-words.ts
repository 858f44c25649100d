import { table } from "../../../model/table.ts";
import type { KopsManifests } from "../../../kops/types.ts";

/** Fields of a KaasCluster by what kOps calls them. */
const FIELDS: Readonly<Record<string, string>> = table({
  nodeCidr: "networkCIDR",
  serviceCidr: "serviceClusterIPRange",
  podCidr: "podCIDR",
  min: "minSize",
  max: "maxSize",
  count: "minSize",
  diskGiB: "rootVolumeSize",
  labels: "nodeLabels",
  tags: "cloudLabels",
});

/** A message about a KaasCluster in the words of the manifests that it was made of: `InstanceGroup nodes: spec.maxSize 5000`. */
export const inKopsWords = (text: string, { nodes }: KopsManifests): string =>
  text
    .replaceAll(
      /spec\.nodePools\[(\d{1,3})\](?:: pool \S+|\.|)/g,
      (whole, index: string) =>
        `InstanceGroup ${nodes[Number(index)]?.metadata.name ?? index}${whole.endsWith(".") ? ": spec." : ":"}`,
    )
    .replaceAll("spec.network.", "spec.")
    .replaceAll(
      /\b(min|max|count|nodeCidr|serviceCidr|podCidr|diskGiB|labels|tags)\b/g,
      (name) => FIELDS[name] ?? name,
    );
