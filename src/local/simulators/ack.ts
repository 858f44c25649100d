import { ACK_KINDS, EC2, EKS, IAM } from "./ack-kinds.ts";
import { conditionOf, referencesOf, textAt, valueAt } from "./fields.ts";
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
      "InstanceLimitExceeded",
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

function refusal(kind: RefusalKind, resource: Resource, detail: string): Refusal {
  const [code, message] = REFUSALS[kind](resource, detail);
  return { code, message, terminal: true };
}

const condition = (type: string, status: string, message?: string): Record<string, unknown> => ({
  type,
  status,
  ...(message === undefined ? {} : { message }),
});

/** ACK reports that a resource waits, but not for which reference. */
function conditions(phase: Phase): Record<string, unknown>[] {
  const resolved = condition("ACK.ReferencesResolved", "True");
  switch (phase.name) {
    case "ready":
      return [
        resolved,
        condition("ACK.ResourceSynced", "True", "Resource synced successfully"),
        condition("Ready", "True"),
      ];
    case "creating":
    case "updating":
      return [resolved, condition("ACK.ResourceSynced", "False"), condition("Ready", "False")];
    case "waiting":
      return [
        condition("ACK.ReferencesResolved", "Unknown", "Reference resolution failed"),
        condition("ACK.ResourceSynced", "Unknown"),
        condition("Ready", "Unknown"),
      ];
    case "blocked": {
      const message = `DependencyViolation: the resource has dependencies and cannot be deleted`;
      return [
        resolved,
        condition("ACK.Recoverable", "True", message),
        condition("ACK.ResourceSynced", "Unknown"),
        condition("Ready", "False"),
      ];
    }
    case "refused": {
      const { code, message, terminal } = phase.refusal;
      const type = terminal ? "ACK.Terminal" : "ACK.Recoverable";
      const synced = terminal ? "False" : "Unknown";
      return [
        resolved,
        condition(type, "True", code === IMMUTABLE ? message : `${code}: ${message}`),
        condition("ACK.ResourceSynced", synced),
        condition("Ready", "False"),
      ];
    }
  }
}

/** AWS Controllers for Kubernetes (ec2, eks, iam): ACK.ResourceSynced and Ready, without observedGeneration; terminal errors apart. */
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
  isRefused: (resource) =>
    ["ACK.Terminal", "ACK.Recoverable"].some((type) => conditionOf(resource, type)?.["status"] === "True"),
  exists: (resource) => valueAt(resource.status, "ackResourceMetadata.arn") !== undefined,
  keepsOnDelete: (resource) => resource.metadata.annotations?.["services.k8s.aws/deletion-policy"] === "retain",
};
