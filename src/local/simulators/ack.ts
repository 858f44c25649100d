import { ACK_KINDS, EC2, EKS, IAM } from "./ack-kinds.ts";
import { conditionOf, digits, referencesOf, textAt, valueAt } from "./fields.ts";
import type { Family, Phase, Reference, Refusal, RefusalKind, Resource } from "./types.ts";

/** The controller's own refusal, before any call of the API. */
const IMMUTABLE = "ImmutableField";

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
  cluster: [EKS, "Cluster"],
  role: [IAM, "Role"],
  nodeRole: [IAM, "Role"],
};

/** Every `<x>Ref.from` and `<x>Refs[].from`, at any depth. */
const references = (resource: Resource): Reference[] =>
  referencesOf(resource, (key) => (/Refs?$/.test(key) ? REFERENCED[key.replace(/Refs?$/, "")] : undefined), "from.");

const REFUSALS: Readonly<Record<RefusalKind, (resource: Resource, detail: string) => [code: string, message: string]>> =
  {
    "quota-exceeded": ({ spec }) => [
      "VcpuLimitExceeded",
      `You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that ${textAt(spec, "instanceType") ?? ""} belongs to.`,
    ],
    "bad-image": ({ spec }) => [
      "InvalidAMIID.NotFound",
      `The image id '[${textAt(spec, "imageID") ?? ""}]' does not exist`,
    ],
    "not-offered": (_resource, detail) => [
      "Unsupported",
      `The requested configuration is currently not supported: ${detail} is not offered here.`,
    ],
    immutable: (resource, detail) =>
      detail === "instanceType"
        ? [
            "IncorrectInstanceState",
            `The instance '${textAt(resource.status, "instanceID") ?? ""}' is not in the 'stopped' state.`,
          ]
        : [IMMUTABLE, `Immutable Spec fields have been modified: ${detail}`],
    "missing-field": (_resource, detail) => ["MissingParameter", `The request must contain the parameter ${detail}`],
  };

/** An Instance's errors are recoverable to ACK, except what its own check of immutable fields refuses. */
function refusal(kind: RefusalKind, resource: Resource, detail: string): Refusal {
  const [code, message] = REFUSALS[kind](resource, detail);
  return { code, message, terminal: resource.kind !== "Instance" || code === IMMUTABLE };
}

const condition = (type: string, status: string, message?: string): Record<string, unknown> => ({
  type,
  status,
  ...(message === undefined ? {} : { message }),
});

const ACTIONS: Readonly<Record<string, { create: string; delete: string }>> = {
  Instance: { create: "RunInstances", delete: "TerminateInstances" },
};

/**
 * An error in the words of AWS's SDK. ACK writes another id with each attempt; here it is new with each generation, because the
 * simulator does not try again by itself.
 */
function sdkError(resource: Resource, verb: "create" | "delete", code: string, message: string): string {
  const service = resource.apiVersion.split(".")[0]?.toUpperCase() ?? "";
  const action = ACTIONS[resource.kind]?.[verb] ?? `${verb === "create" ? "Create" : "Delete"}${resource.kind}`;
  const id = digits([resource.metadata.uid, resource.metadata.generation], 32);
  return `operation error ${service}: ${action}, https response error StatusCode: 400, RequestID: ${id}, api error ${code}: ${message}`;
}

/** ACK works on a resource in several rounds, and says so with the condition of errors. */
const ROUNDS: Readonly<Record<string, { creating: string | null; updating: string }>> = {
  Instance: {
    creating: "requeuing until state is running or stopped",
    updating: "requeuing until all fields are updated",
  },
  SecurityGroup: {
    creating: "Reconciling to sync additional fields",
    updating: "Reconciling to sync additional fields",
  },
  Cluster: {
    creating: null,
    updating: "cluster has started asynchronously updating, cannot be modified until 'ACTIVE'",
  },
  Nodegroup: {
    creating: null,
    updating: "nodegroup has started asynchronously updating, cannot be modified until 'ACTIVE'",
  },
};

const RESOLVED = condition("ACK.ReferencesResolved", "True");
const SYNCED = [
  RESOLVED,
  condition("ACK.ResourceSynced", "True", "Resource synced successfully"),
  condition("Ready", "True"),
];

function working(phase: "creating" | "updating", { kind }: Resource): Record<string, unknown>[] {
  const said = ROUNDS[kind]?.[phase];
  const rounds = said === undefined || said === null ? [] : [condition("ACK.Recoverable", "True", said)];
  return [RESOLVED, ...rounds, condition("ACK.ResourceSynced", "False"), condition("Ready", "False")];
}

function refused({ code, message, terminal }: Refusal, resource: Resource): Record<string, unknown>[] {
  if (!terminal) {
    const said = sdkError(resource, "create", code, message);
    const states = ["ACK.ResourceSynced", "Ready"].map((type) => condition(type, "Unknown"));
    return [RESOLVED, condition("ACK.Recoverable", "True", said), ...states];
  }
  const said = code === IMMUTABLE || code === "" ? message : `${code}: ${message}`;
  const states = ["ACK.ResourceSynced", "Ready"].map((type) => condition(type, "False"));
  return [RESOLVED, condition("ACK.Terminal", "True", said), ...states];
}

/** docs/internals/operators.md has the source of each. */
function conditions(phase: Phase, resource: Resource): Record<string, unknown>[] {
  switch (phase.name) {
    case "ready":
      return SYNCED;
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
      return [{ ...condition("ACK.ReferencesResolved", "Unknown"), reason }];
    }
    case "blocked": {
      const message = "The resource has dependencies and cannot be deleted";
      const said = sdkError(resource, "delete", "DependencyViolation", message);
      return [...SYNCED, condition("ACK.Recoverable", "True", said)];
    }
    case "refused":
      return refused(phase.refusal, resource);
  }
}

const isError = (resource: Resource): boolean => {
  const again = conditionOf(resource, "ACK.Recoverable");
  return again?.["status"] === "True" && String(again["message"]).includes("api error ");
};

/** AWS Controllers for Kubernetes (ec2, eks, iam): ACK.ResourceSynced and Ready, without observedGeneration. */
export const ack: Family = {
  name: "ack",
  groups: [EC2, EKS, IAM],
  kinds: ACK_KINDS,
  finalizer: `finalizers.${EC2}/simulated`,
  adoptsChildren: false,
  topLevelGeneration: false,
  references,
  refusal,
  conditions,
  isReady: (resource) => conditionOf(resource, "ACK.ResourceSynced")?.["status"] === "True",
  renewsTimes: true,
  timeless: "ACK.Recoverable",
  releasesRefused: true,
  isRefused: (resource) => conditionOf(resource, "ACK.Terminal")?.["status"] === "True" || isError(resource),
  exists: (resource) => valueAt(resource.status, "ackResourceMetadata.arn") !== undefined,
  keepsOnDelete: (resource) => resource.metadata.annotations?.["services.k8s.aws/deletion-policy"] === "retain",
};
