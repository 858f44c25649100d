import { authority, endpoint, patchVersion } from "../cluster-values.ts";
import { textAt } from "../fields.ts";
import { nodePoolRefusal, poolVersion } from "../pool-versions.ts";
import type { KindRule, Resource } from "../types.ts";
import { addressRefusal } from "./kcc-addresses.ts";
import { nameOf, projectOf } from "./kcc-names.ts";
import { instanceGroups, labelRefusal, numberRefusal, poolNumbers } from "./kcc-nodes.ts";

export const CONTAINER = "container.cnrm.cloud.google.com";

const gke = (resource: Resource, path: string): string =>
  `https://container.googleapis.com/v1/projects/${projectOf(resource)}/locations/${textAt(resource.spec, "location") ?? ""}/${path}`;

/** The region of a location, which may be a zone. */
const regionOfLocation = (resource: Resource): string | undefined =>
  textAt(resource.spec, "location")?.replace(/-[a-z]$/, "");

/** Of a managed cluster: what Google Cloud answers. */
export const CLUSTER_KINDS: readonly KindRule[] = [
  {
    group: CONTAINER,
    kind: "ContainerCluster",
    seconds: 2,
    required: ["location", "networkRef", "subnetworkRef"],
    immutable: ["location", "networkingMode", "ipAllocationPolicy", "initialNodeCount"],
    status: (resource) => ({
      selfLink: gke(resource, `clusters/${nameOf(resource)}`),
      endpoint: endpoint(resource, "gke").replace("https://", ""),
      masterVersion: `${patchVersion(resource, "minMasterVersion")}-gke.100`,
      observedState: { masterAuth: { clusterCaCertificate: authority(resource) } },
    }),
  },
  {
    group: CONTAINER,
    kind: "ContainerNodePool",
    seconds: 1,
    required: ["location", "clusterRef"],
    immutable: [
      "location",
      "nodeConfig.machineType",
      "nodeConfig.diskSizeGb",
      "nodeConfig.diskType",
      "nodeConfig.labels",
      "initialNodeCount",
    ],
    refuses: (resource, lookup) =>
      labelRefusal(resource) ??
      numberRefusal(resource) ??
      nodePoolRefusal(resource, lookup) ??
      addressRefusal(resource, lookup),
    remembers: poolNumbers,
    machine: (resource) => {
      const region = regionOfLocation(resource);
      return {
        place: region === undefined ? null : `gcp/${region}`,
        instanceType: textAt(resource.spec, "nodeConfig.machineType"),
        imageExists: true,
      };
    },
    status: (resource, lookup) => ({
      selfLink: gke(resource, `nodePools/${nameOf(resource)}`),
      instanceGroupUrls: instanceGroups(resource),
      observedState: { version: poolVersion(resource, lookup) },
    }),
  },
];
