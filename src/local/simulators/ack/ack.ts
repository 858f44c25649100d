import { ackRefusal, conditionText, sdkError } from "./ack-errors.ts";
import { ACK_KINDS, EC2, EKS, IAM } from "./ack-kinds.ts";
import { afterAttempts } from "./ack-refusals.ts";
import { conditionOf, referencesOf, valueAt } from "../fields.ts";
import { isSynced, namedCluster, NOT_MANAGED } from "../node-groups.ts";
import type { Family, Phase, Reference, Resource } from "../types.ts";

/** Field of a reference without its `Ref` or `Refs` -> group and kind. */
const REFERENCED: Readonly<Record<string, readonly [group: string, kind: string]>> = {
  vpc: [EC2, "VPC"],
  subnet: [EC2, "Subnet"],
  gateway: [EC2, "InternetGateway"],
  natGateway: [EC2, "NATGateway"],
  routeTable: [EC2, "RouteTable"],
  group: [EC2, "SecurityGroup"],
  securityGroup: [EC2, "SecurityGroup"],
  allocation: [EC2, "ElasticIPAddress"],
  launchTemplate: [EC2, "LaunchTemplate"],
  cluster: [EKS, "Cluster"],
  role: [IAM, "Role"],
  nodeRole: [IAM, "Role"],
};

/** Every `<x>Ref.from` and `<x>Refs[].from`, at any depth, and the cluster that a node group names. */
const references = (resource: Resource): Reference[] => [
  ...referencesOf(resource, (key) => (/Refs?$/.test(key) ? REFERENCED[key.replace(/Refs?$/, "")] : undefined), "from."),
  ...namedCluster(resource),
];

const condition = (type: string, status: string, message?: string): Record<string, unknown> => ({
  type,
  status,
  ...(message === undefined ? {} : { message }),
});

interface Round {
  /** `ACK.Recoverable`: also where nothing is wrong. */
  said?: string;
  /** The status of `ACK.ResourceSynced`, where the controller sets it itself; otherwise it is Unknown, for the reason above. */
  synced?: { message?: string; reason?: string };
}

/** ACK works on a resource in several rounds, and says so with the condition of errors. */
const ROUNDS: Readonly<Record<string, Partial<Record<"creating" | "updating", Round>>>> = {
  Instance: {
    creating: {
      said: "requeuing until state is running or stopped",
      synced: { reason: "waiting for resource to be running" },
    },
    updating: { said: "requeuing until all fields are updated" },
  },
  Subnet: {
    creating: {
      said: "Reconciling to sync additional fields",
      synced: { message: "subnet created, requeue for updates" },
    },
  },
  Cluster: {
    updating: {
      said: "cluster has started asynchronously updating, cannot be modified until 'ACTIVE'",
      synced: { message: "Cluster is currently being updated" },
    },
  },
  Nodegroup: {
    updating: {
      said: "nodegroup has started asynchronously updating, cannot be modified until 'ACTIVE'",
      synced: { message: "Nodegroup is currently being updated" },
    },
  },
};

const UNKNOWN = "Unable to determine if desired resource state matches latest observed state";
const SUCCESS = "Resource synced successfully";
const RESOLVED = condition("ACK.ReferencesResolved", "True");
const SYNCED = [RESOLVED, condition("ACK.ResourceSynced", "True", SUCCESS), condition("Ready", "True", SUCCESS)];

/** Ready repeats the error, or what ResourceSynced says. */
function working(phase: "creating" | "updating", { kind }: Resource): Record<string, unknown>[] {
  const { said, synced = {} } = ROUNDS[kind]?.[phase] ?? {};
  if (said === undefined) return [RESOLVED, ...["ACK.ResourceSynced", "Ready"].map((type) => condition(type, "False"))];
  const isSet = ROUNDS[kind]?.[phase]?.synced !== undefined;
  const state = isSet
    ? { ...condition("ACK.ResourceSynced", "False"), ...synced }
    : { ...condition("ACK.ResourceSynced", "Unknown", UNKNOWN), reason: said };
  const ready = { ...condition("Ready", "False", said), reason: "ACK.Recoverable" };
  return [RESOLVED, condition("ACK.Recoverable", "True", said), state, ready];
}

const exists = (resource: Resource): boolean => valueAt(resource.status, "ackResourceMetadata.arn") !== undefined;

/** `sdkFind` of EKS's kinds sets it for one that is ACTIVE, before the update that fails. */
function syncedOfRefused({ refusal, attempt = 0 }: Phase & { name: "refused" }, resource: Resource) {
  if (resource.apiVersion.startsWith(`${EKS}/`) && exists(resource)) return condition("ACK.ResourceSynced", "True");
  if (!refusal.terminal) {
    return { ...condition("ACK.ResourceSynced", "Unknown", UNKNOWN), reason: sdkError(resource, refusal, attempt) };
  }
  const reason = "resource is in terminal condition";
  return { ...condition("ACK.ResourceSynced", "False", "Resource not synced"), reason };
}

/** `NotManagedReason` of the runtime's pkg/condition/condition.go. */
const NOT_MANAGED_REASON =
  "This resource already exists but is not managed by ACK. To bring the resource under ACK management, you should explicitly adopt " +
  "the resource by enabling the ResourceAdoption feature gate and populating the `services.k8s.aws/adoption-policy` and " +
  "`services.k8s.aws/adoption-fields` annotations.";

function refused(given: Phase & { name: "refused" }, resource: Resource): Record<string, unknown>[] {
  const phase = { ...given, refusal: afterAttempts(given.refusal, resource, given.attempt ?? 0) };
  const said = conditionText(resource, phase.refusal);
  const type = phase.refusal.terminal ? "ACK.Terminal" : "ACK.Recoverable";
  const state = syncedOfRefused(phase, resource);
  const about = said === NOT_MANAGED ? { reason: NOT_MANAGED_REASON } : {};
  return [
    RESOLVED,
    { ...condition(type, "True", said), ...about },
    state,
    { ...condition("Ready", "False", said), reason: type },
  ];
}

/** ACK lists the node groups of a cluster before it asks EKS to delete it; EC2 answers itself. */
function blocked(resource: Resource): Record<string, unknown>[] {
  if (resource.kind === "Cluster") {
    const [, , ready = {}] = SYNCED;
    const said = "cluster is still in use, cannot be deleted";
    return [RESOLVED, condition("ACK.ResourceSynced", "True"), ready, condition("ACK.Recoverable", "True", said)];
  }
  const message = "The resource has dependencies and cannot be deleted";
  const said = conditionText(resource, { code: "DependencyViolation", message });
  return [...SYNCED, condition("ACK.Recoverable", "True", said)];
}

/** docs/internals/operators.md has the source of each. */
function conditions(phase: Phase, resource: Resource): Record<string, unknown>[] {
  switch (phase.name) {
    case "ready": {
      const isEndless = ACK_KINDS.some(({ kind, endless }) => kind === resource.kind && endless?.(resource) === true);
      return isEndless ? working("updating", resource) : SYNCED;
    }
    case "creating":
    case "updating":
      return working(phase.name, resource);
    case "deleting":
      return SYNCED;
    case "waiting": {
      const { kind, namespace, name } = phase.reference;
      const where = `resource:${kind}, namespace:${namespace}, name:${name}`;
      const reason = phase.exists
        ? `the referenced resource is not synced yet. ${where}`
        : `the referenced resource is not found. ${where}`;
      return [{ ...condition("ACK.ReferencesResolved", "Unknown", "Reference resolution failed"), reason }];
    }
    case "blocked":
      return blocked(resource);
    case "refused":
      return refused(phase, resource);
  }
}

const isTrue = (resource: Resource, type: string): boolean => conditionOf(resource, type)?.["status"] === "True";

/** An error of AWS, and not a round of ACK's own work. */
function isError(resource: Resource): boolean {
  const message = conditionOf(resource, "ACK.Recoverable")?.["message"];
  const rounds = Object.values(ROUNDS[resource.kind] ?? {}).map(({ said }) => said);
  return typeof message === "string" && !rounds.includes(message);
}

/** AWS Controllers for Kubernetes (ec2, eks, iam): ACK.ResourceSynced and Ready, without observedGeneration. */
export const ack: Family = {
  name: "ack",
  groups: [EC2, EKS, IAM],
  kinds: ACK_KINDS,
  finalizer: `finalizers.${EC2}/simulated`,
  adoptsChildren: false,
  topLevelGeneration: false,
  references,
  refusal: ackRefusal,
  conditions,
  looksEvery: () => 36_000,
  // The controllers use controller-runtime's default.
  backoff: { firstSeconds: 0.005, longestSeconds: 1_000 },
  seesMetadata: false,
  givesUp: (resource) => isTrue(resource, "ACK.Terminal"),
  isReady: isSynced,
  renewsTimes: true,
  refusesAtOnce: true,
  timeless: ["ACK.Recoverable", "ACK.Terminal"],
  releasesRefused: true,
  isRefused: (resource) => isTrue(resource, "ACK.Terminal") || isError(resource),
  exists,
  keepsOnDelete: (resource) => resource.metadata.annotations?.["services.k8s.aws/deletion-policy"] === "retain",
};
