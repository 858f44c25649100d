import { CLUSTER_KINDS, CONTAINER } from "./kcc-clusters.ts";
import { imageOf, imageRefusal, missingImage } from "./kcc-image.ts";
import { nameOf, projectOf } from "./kcc-names.ts";
import {
  createdOffRefusal,
  diskSizeRefusal,
  machineTypeRefusal,
  typeZoneRefusal,
  projectRefusal,
  regionRefusal,
  runLimitRefusal,
  stoppedBy,
  zoneRefusal,
} from "./kcc-machine.ts";
import { hasFuzzyVersion } from "../pool-versions.ts";
import { askedEviction, askedShutdown } from "../decide-phase.ts";
import { conditionOf, digits, fraction, publicAddress, referencesOf, textAt } from "../fields.ts";
import type { Family, KindRule, Phase, Reference, Refusal, RefusalKind, Resource, Shutdown } from "../types.ts";
import { textOf } from "../../../model/json.ts";

const COMPUTE = "compute.cnrm.cloud.google.com";
const IAM = "iam.cnrm.cloud.google.com";
const API = "https://www.googleapis.com/compute/v1";

/** Field of a reference without its `Ref` -> group and kind. Images and projects are named by `external` only. */
const REFERENCED: Readonly<Record<string, readonly [group: string, kind: string]>> = {
  network: [COMPUTE, "ComputeNetwork"],
  subnetwork: [COMPUTE, "ComputeSubnetwork"],
  sourceDisk: [COMPUTE, "ComputeDisk"],
  natIp: [COMPUTE, "ComputeAddress"],
  networkIp: [COMPUTE, "ComputeAddress"],
  serviceAccount: [IAM, "IAMServiceAccount"],
  cluster: [CONTAINER, "ContainerCluster"],
};

function scopeOf({ spec }: Resource): string {
  const zone = textAt(spec, "zone");
  const location = textAt(spec, "region") ?? textAt(spec, "location");
  if (zone !== null) return `zones/${zone}`;
  if (location === null || location === "global") return "global";
  return /-[a-z]$/.test(location) ? `zones/${location}` : `regions/${location}`;
}

/** Fields of status besides the link, by kind. */
const EXTRA: Readonly<Record<string, (resource: Resource) => Record<string, unknown>>> = {
  ComputeAddress: (resource) => ({ observedState: { address: publicAddress(resource) } }),
  ComputeInstance: (resource) => ({
    // Without a desired one, a machine stays as it is: Config Connector starts none that it stopped for a refused change.
    currentStatus: textAt(resource.spec, "desiredStatus") ?? textAt(resource.status, "currentStatus") ?? "RUNNING",
    instanceId: String(Number.parseInt(digits([resource.metadata.uid], 13), 16)),
    cpuPlatform: "Intel Broadwell",
  }),
};

/** The machine stops itself, or is taken back, once: a spec that was changed says that it was started again. Config Connector keeps one on whose `desiredStatus` is RUNNING. */
function shutdown(resource: Resource): Shutdown | null {
  if (textAt(resource.spec, "desiredStatus") !== null) return null;
  const isSpot = textAt(resource.spec, "scheduling.provisioningModel") === "SPOT";
  const isFirst = (resource.metadata.generation ?? 1) === 1;
  const seconds = (isSpot && isFirst ? askedEviction(resource) : null) ?? askedShutdown(resource);
  return seconds === null ? null : { seconds, status: { currentStatus: "TERMINATED" } };
}

const rule = (kind: string, plural: string, seconds: number, more: Partial<KindRule> = {}): KindRule => ({
  group: COMPUTE,
  kind,
  seconds,
  required: [],
  immutable: [],
  ...more,
  status: (resource) => ({
    selfLink: `${API}/projects/${projectOf(resource)}/${scopeOf(resource)}/${plural}/${nameOf(resource)}`,
    ...EXTRA[kind]?.(resource),
  }),
});

const KINDS: readonly KindRule[] = [
  ...CLUSTER_KINDS,
  rule("ComputeNetwork", "networks", 1, { immutable: ["autoCreateSubnetworks", "mtu"] }),
  rule("ComputeSubnetwork", "subnetworks", 0.9, {
    required: ["ipCidrRange", "networkRef", "region"],
    immutable: ["region"],
  }),
  rule("ComputeFirewall", "firewalls", 0.7, {
    ...{ required: ["networkRef"], immutable: ["direction"], refuses: projectRefusal },
  }),
  rule("ComputeAddress", "addresses", 0.6, { required: ["location"], immutable: ["location", "addressType"] }),
  rule("ComputeDisk", "disks", 0.8, {
    ...{ required: ["location"], immutable: ["location", "type"] },
    ...{ version: "size", refuses: diskSizeRefusal },
  }),
  {
    ...rule("IAMServiceAccount", "serviceAccounts", 0.6),
    group: IAM,
    status: (resource) => ({ email: `${nameOf(resource)}@${projectOf(resource)}.iam.gserviceaccount.com` }),
  },
  rule("ComputeInstance", "instances", 3, {
    required: ["zone", "machineType", "bootDisk", "networkInterface"],
    immutable: ["zone", "bootDisk", "networkInterface", "hostname", "metadataStartupScript"],
    ...{ shutdown, version: "machineType" },
    refuses: (resource) =>
      runLimitRefusal(resource) ??
      createdOffRefusal(resource) ??
      zoneRefusal(resource) ??
      typeZoneRefusal(resource) ??
      regionRefusal(resource) ??
      machineTypeRefusal(resource) ??
      imageRefusal(resource),
    isFirst: ({ spec }) => textAt(spec, "desiredStatus") !== "RUNNING",
    machine: (resource) => {
      const { spec } = resource;
      const region = textAt(spec, "zone")?.replace(/-[a-z]$/, "");
      return {
        place: region === undefined ? null : `gcp/${region}`,
        zone: textAt(spec, "zone"),
        instanceType: textAt(spec, "machineType"),
        // `project/image-or-family`, `projects/…/global/images/…` or a link; null: the disk has the image already.
        imageExists: imageOf(resource)?.includes("/") ?? true,
      };
    },
  }),
];

/** Every `<x>Ref` with a name, at any depth. */
const references = (resource: Resource): Reference[] =>
  referencesOf(resource, (key) => (key.endsWith("Ref") ? REFERENCED[key.slice(0, -3)] : undefined), "");

const IMMUTABLE = "IMMUTABLE";
const APPLYING = "error applying desired state: summary: ";

const REFUSALS: Readonly<Record<RefusalKind, (resource: Resource, detail: string) => [code: string, message: string]>> =
  {
    "quota-exceeded": ({ spec }) => [
      "QUOTA_EXCEEDED",
      `googleapi: Error 403: Quota 'CPUS' exceeded in region ${textAt(spec, "zone")?.replace(/-[a-z]$/, "") ?? ""}., quotaExceeded`,
    ],
    "no-capacity": ({ spec }, detail) => [
      "ZONE_RESOURCE_POOL_EXHAUSTED",
      `Error waiting for Instance to start: The zone '${textAt(spec, "zone") ?? ""}' does not have enough resources available to fulfill the request (resource type: ${detail}), ZONE_RESOURCE_POOL_EXHAUSTED`,
    ],
    "bad-image": (resource) => ["NOT_FOUND", missingImage(imageOf(resource) ?? "", projectOf(resource))],
    "not-offered": ({ spec }, detail) => [
      "INVALID",
      `googleapi: Error 400: Invalid value for field 'resource.machineType': '${detail}' does not exist in zone ${textAt(spec, "zone") ?? ""}., invalid`,
    ],
    immutable: (_resource, detail) => [
      IMMUTABLE,
      `cannot make changes to immutable field(s): [${detail}]; please refer to our troubleshooting doc: https://cloud.google.com/config-connector/docs/troubleshooting`,
    ],
    "missing-field": (_resource, detail) => ["INVALID", `"${detail}": required field is not set`],
  };

/** Config Connector gives up on nothing: it tries again with growing pauses. */
function refusal(kind: RefusalKind, resource: Resource, detail: string): Refusal {
  const [code, message] = REFUSALS[kind](resource, detail);
  // Refusals before any call leave the machine as it is.
  const left = kind === "immutable" || kind === "missing-field" ? {} : stoppedBy(resource);
  return { code, message, terminal: false, ...left };
}

/** status, reason and message of the condition Ready. */
function ready(phase: Phase): [status: string, reason: string, message: string] {
  switch (phase.name) {
    case "ready":
      return ["True", "UpToDate", "The resource is up to date"];
    // The controller says the same of a creation.
    case "creating":
    case "updating":
      return ["False", "Updating", "Update in progress"];
    case "deleting":
      return ["False", "Deleting", "Deletion in progress"];
    case "blocked":
      return ["False", "DeleteFailed", `Delete call failed: error deleting resource: it is in use by ${phase.by}`];
    case "refused":
      return [
        "False",
        "UpdateFailed",
        `Update call failed: ${phase.refusal.code === IMMUTABLE ? "" : APPLYING}${phase.refusal.message}`,
      ];
    case "waiting": {
      const { kind, namespace, name } = phase.reference;
      return phase.exists
        ? ["False", "DependencyNotReady", `reference ${kind} ${namespace}/${name} is not ready`]
        : ["False", "DependencyNotFound", `reference ${kind} ${namespace}/${name} is not found`];
    }
  }
}

const REFUSED = new Set(["UpdateFailed", "CreateFailed"]);

/** Config Connector: condition Ready with a reason, observedGeneration at the top of status; it retries what is refused. */
export const kcc: Family = {
  name: "kcc",
  groups: [COMPUTE, CONTAINER, IAM],
  kinds: KINDS,
  finalizer: "cnrm.cloud.google.com/finalizer",
  moreFinalizers: ["cnrm.cloud.google.com/deletion-defender"],
  tellsDeletion: true,
  adoptsChildren: false,
  topLevelGeneration: true,
  references,
  refusal,
  conditions: (phase, resource) => {
    const [status, reason, message] = ready(
      phase.name === "ready" && hasFuzzyVersion(resource) ? { name: "updating" } : phase,
    );
    return [{ type: "Ready", status, reason, message }];
  },
  looksEvery: ({ metadata }) => 300 + 600 * fraction(metadata.name),
  backoff: { firstSeconds: 0.25, longestSeconds: 120 },
  seesMetadata: true,
  givesUp: () => false,
  isReady: (resource) => conditionOf(resource, "Ready")?.["status"] === "True",
  isRefused: (resource) => REFUSED.has(textOf(conditionOf(resource, "Ready")?.["reason"])),
  exists: (resource) => textAt(resource.status, "selfLink") !== null || textAt(resource.status, "email") !== null,
  keepsOnDelete: (resource) => resource.metadata.annotations?.["cnrm.cloud.google.com/deletion-policy"] === "abandon",
};
