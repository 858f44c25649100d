import { isObject } from "../../model/json.ts";
import { cloudId, conditionOf, publicAddress, textAt, valueAt } from "./fields.ts";
import type { Family, KindRule, Phase, Reference, Refusal, RefusalKind, Resource } from "./types.ts";

const EC2 = "ec2.services.k8s.aws";
/** The controller's own refusal, before any call of the API. */
const IMMUTABLE = "ImmutableField";
const ACCOUNT = "000000000000";

/** Field of a reference without its `Ref` or `Refs` -> kind. */
const REFERENCED: Readonly<Record<string, string>> = {
  vpc: "VPC",
  subnet: "Subnet",
  gateway: "InternetGateway",
  natGateway: "NATGateway",
  routeTable: "RouteTable",
  group: "SecurityGroup",
  securityGroup: "SecurityGroup",
  allocation: "ElasticIPAddress",
};

/** An AMI's id, or the parameter of Systems Manager that holds one. */
const IMAGE = /^(ami-[0-9a-f]{8,17}|resolve:ssm:\/.+)$/;

const regionOf = (resource: Resource): string | null =>
  resource.metadata.annotations?.["services.k8s.aws/region"] ??
  textAt(resource.spec, "placement.availabilityZone")?.replace(/[a-z]$/, "") ??
  null;

/** `[field of status that holds the id, prefix of the id, type in the ARN]` */
type Identity = readonly [field: string, prefix: string, type: string];

const rule = (
  kind: string,
  seconds: number,
  [field, prefix, type]: Identity,
  more: Partial<KindRule> = {},
): KindRule => ({
  group: EC2,
  kind,
  seconds,
  required: [],
  immutable: [],
  ...more,
  status: (resource) => {
    const id = cloudId(`${prefix}-`, resource);
    const region = regionOf(resource) ?? "us-east-1";
    return {
      ackResourceMetadata: { arn: `arn:aws:ec2:${region}:${ACCOUNT}:${type}/${id}`, ownerAccountID: ACCOUNT, region },
      [field]: id,
      ...EXTRA[kind]?.(resource),
    };
  },
});

/** Fields of status beside the ids, by kind. */
const EXTRA: Readonly<Record<string, (resource: Resource) => Record<string, unknown>>> = {
  VPC: () => ({ state: "available" }),
  Subnet: () => ({ state: "available" }),
  ElasticIPAddress: (resource) => ({ publicIP: publicAddress(resource) }),
  Instance: (resource) => ({ state: { code: 16, name: "running" }, publicIPAddress: publicAddress(resource) }),
};

const KINDS: readonly KindRule[] = [
  rule("VPC", 0.6, ["vpcID", "vpc", "vpc"], { required: ["cidrBlocks"] }),
  rule("InternetGateway", 0.5, ["internetGatewayID", "igw", "internet-gateway"]),
  rule("RouteTable", 0.5, ["routeTableID", "rtb", "route-table"]),
  rule("Subnet", 0.6, ["subnetID", "subnet", "subnet"], {
    required: ["cidrBlock"],
    immutable: ["cidrBlock", "availabilityZone"],
  }),
  rule("SecurityGroup", 0.6, ["id", "sg", "security-group"], {
    required: ["name", "description"],
    immutable: ["name", "description"],
  }),
  rule("NATGateway", 2, ["natGatewayID", "nat", "natgateway"]),
  rule("ElasticIPAddress", 0.5, ["allocationID", "eipalloc", "elastic-ip"]),
  rule("Instance", 3, ["instanceID", "i", "instance"], {
    required: ["imageID", "instanceType"],
    immutable: ["imageID", "userData", "keyName", "subnetRef", "placement.availabilityZone"],
    machine: (resource) => {
      const region = regionOf(resource);
      return {
        place: region && `aws/${region}`,
        instanceType: textAt(resource.spec, "instanceType"),
        imageExists: IMAGE.test(textAt(resource.spec, "imageID") ?? ""),
      };
    },
  }),
];

/** Every `<x>Ref.from` and `<x>Refs[].from`, at any depth. */
function references(resource: Resource): Reference[] {
  const found: Reference[] = [];
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, key);
      return;
    }
    if (!isObject(value)) return;
    const kind = REFERENCED[key.replace(/Refs?$/, "")];
    const name = /Refs?$/.test(key) ? textAt(value, "from.name") : null;
    if (kind !== undefined && name !== null) {
      const namespace = textAt(value, "from.namespace") ?? resource.metadata.namespace;
      found.push({ group: EC2, kind, namespace, name, owner: false });
    }
    for (const [inner, child] of Object.entries(value)) visit(child, inner);
  };
  visit(resource.spec, "");
  return found;
}

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
    immutable: (_resource, detail) => [IMMUTABLE, `Immutable Spec fields have been modified: ${detail}`],
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

/** ACK says that it waits, not for what: the conditions name no reference. */
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

/** AWS Controllers for Kubernetes (ec2): ACK.ResourceSynced and Ready, without observedGeneration; terminal errors apart. */
export const ack: Family = {
  name: "ack",
  groups: [EC2],
  kinds: KINDS,
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
