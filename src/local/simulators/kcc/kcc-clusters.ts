import { authority, endpoint } from "../cluster-values.ts";
import { gkeMasterVersion, gkeVersionRefusal } from "../control-versions.ts";
import { textAt } from "../fields.ts";
import { nodePoolRefusal, poolVersion } from "../pool-versions.ts";
import type { KindRule, Resource } from "../types.ts";
import { addressRefusal } from "./kcc-addresses.ts";
import { channelOf, channelRefusal, managementRefusal } from "./kcc-channel.ts";
import { nameOf, projectOf } from "./kcc-names.ts";
import {
  creationRefusal,
  defaultPoolRefusal,
  instanceGroups,
  labelRefusal,
  numberRefusal,
  poolNumbers,
  typeZoneRefusal,
} from "./kcc-nodes.ts";

export const CONTAINER = "container.cnrm.cloud.google.com";

const gke = (resource: Resource, path: string): string =>
  `https://container.googleapis.com/v1/projects/${projectOf(resource)}/locations/${textAt(resource.spec, "location") ?? ""}/${path}`;

const clusterLink = (resource: Resource): string => gke(resource, `clusters/${nameOf(resource)}`);
const poolLink = (resource: Resource): string => gke(resource, `nodePools/${nameOf(resource)}`);

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
    refuses: (resource, _lookup, dependents = []) =>
      channelRefusal(
        resource,
        dependents.filter(({ kind }) => kind === "ContainerNodePool"),
      ) ??
      gkeVersionRefusal(resource) ??
      defaultPoolRefusal(resource, clusterLink(resource)),
    remembers: channelOf,
    status: (resource) => ({
      selfLink: clusterLink(resource),
      endpoint: endpoint(resource, "gke").replace("https://", ""),
      masterVersion: gkeMasterVersion(resource),
      observedState: { masterAuth: { clusterCaCertificate: authority(resource) } },
    }),
  },
  {
    group: CONTAINER,
    kind: "ContainerNodePool",
    seconds: 1,
    leastUpdateMs: 1_100,
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
      typeZoneRefusal(resource) ??
      managementRefusal(resource, lookup) ??
      nodePoolRefusal(resource, lookup) ??
      addressRefusal(resource, lookup) ??
      creationRefusal(resource, poolLink(resource)),
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
      selfLink: poolLink(resource),
      instanceGroupUrls: instanceGroups(resource),
      observedState: { version: poolVersion(resource, lookup) },
    }),
  },
];
