import { authority, endpoint } from "../cluster-values.ts";
import { keepsOldNodes } from "../control-versions.ts";
import { NODES, nodegroupNodes, nodegroupRefusal, releaseWriteBack } from "../pool-versions.ts";
import { cloudId, publicAddress, textAt, uuidOf, valueAt } from "../fields.ts";
import { addressWriteBack, clusterMemory, clusterRefusal } from "./ack-cluster.ts";
import { instanceEnd, instanceState, instanceWriteBack, withoutGroups } from "./ack-instance.ts";
import { groupRefusal, regionOf, secondCallRefusal, subnetRefusal, tagRefusal } from "./ack-refusals.ts";
import { heldByLeft, leftNodeGroup } from "../node-groups.ts";
import { keepsTaints, TAINTS, taintsText } from "../node-taints.ts";
import type { KindRule, Left, Lookup, Resource } from "../types.ts";

export const EC2 = "ec2.services.k8s.aws";
export const EKS = "eks.services.k8s.aws";
export const IAM = "iam.services.k8s.aws";
const ACCOUNT = "000000000000";

/** An AMI's id, or the parameter of Systems Manager that holds one. */
const IMAGE = /^(ami-[0-9a-f]{8,17}|resolve:ssm:\/.+)$/;

/**
 * The region where a resource is made, and stays: ACK takes it from the status as soon as it is there, and ends each reconcile in which the
 * annotation names another one (`getRegion` and `regionDrifted` of aws-controllers-k8s/runtime).
 */
const madeIn = (resource: Resource): string =>
  textAt(resource.status, "ackResourceMetadata.region") ?? regionOf(resource) ?? "us-east-1";

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
    // One that was created again has another id.
    const id = textAt(resource.status, field) ?? cloudId(`${prefix}-`, resource);
    const region = madeIn(resource);
    return {
      ackResourceMetadata: { arn: `arn:aws:ec2:${region}:${ACCOUNT}:${type}/${id}`, ownerAccountID: ACCOUNT, region },
      [field]: id,
      ...EXTRA[kind]?.(resource),
    };
  },
});

/** Fields of status besides the ids, by kind. */
const EXTRA: Readonly<Record<string, (resource: Resource) => Record<string, unknown>>> = {
  VPC: () => ({ state: "available" }),
  Subnet: () => ({ state: "available" }),
  ElasticIPAddress: (resource) => ({ publicIP: publicAddress(resource) }),
  Instance: (resource) => ({ ...instanceState(resource), publicIPAddress: publicAddress(resource) }),
};

const metadataOf = (resource: Resource, service: string, path: string): Record<string, unknown> => {
  const region = madeIn(resource);
  const arn = `arn:aws:${service}:${service === "iam" ? "" : region}:${ACCOUNT}:${path}`;
  return { ackResourceMetadata: { arn, ownerAccountID: ACCOUNT, region } };
};

const nameOf = (resource: Resource): string => textAt(resource.spec, "name") ?? resource.metadata.name;

/** The zone of a machine is that of its subnet. */
function zoneOf({ spec, metadata: { namespace } }: Resource, lookup: Lookup): string | null {
  const name = textAt(spec, "subnetRef.from.name");
  const subnet = name === null ? undefined : lookup({ group: EC2, kind: "Subnet", namespace, name });
  return textAt(subnet?.spec, "availabilityZone");
}

/** Annotation of a VPC with the security group that ACK has given up. Remove it for `aws ec2 delete-security-group`. */
const LEFT_GROUP = "simulators.landfall.dev/left-security-group";

/** A group stays in its VPC, which EC2 does not delete then. */
function leftGroup(resource: Resource, lookup: Lookup): Left {
  const { spec, metadata } = resource;
  const [name, namespace] = [textAt(spec, "vpcRef.from.name"), metadata.namespace];
  const holder = name === null ? undefined : lookup({ group: EC2, kind: "VPC", namespace, name });
  return { holder: holder ?? null, annotations: { [LEFT_GROUP]: cloudId("sg-", resource) } };
}

/** The kinds of a managed cluster, with the answers of EKS and IAM. */
const CLUSTER_KINDS: readonly KindRule[] = [
  {
    group: IAM,
    kind: "Role",
    seconds: 0.5,
    required: ["name", "assumeRolePolicyDocument"],
    immutable: ["name"],
    refuses: tagRefusal,
    goesInUse: true,
    status: (resource) => ({
      ...metadataOf(resource, "iam", `role/${nameOf(resource)}`),
      roleID: cloudId("AROA", resource).toUpperCase(),
    }),
  },
  {
    group: EKS,
    kind: "Cluster",
    seconds: 2,
    leastUpdateMs: 1100,
    required: ["name", "resourcesVPCConfig.subnetRefs", "roleRef"],
    immutable: ["name", "roleRef", "kubernetesNetworkConfig.ipFamily", "kubernetesNetworkConfig.serviceIPv4CIDR"],
    version: "version",
    refuses: clusterRefusal,
    remembers: clusterMemory,
    heldBy: heldByLeft,
    writeBack: addressWriteBack,
    status: (resource) => ({
      ...metadataOf(resource, "eks", `cluster/${nameOf(resource)}`),
      status: "ACTIVE",
      endpoint: endpoint(resource, "eks"),
      certificateAuthority: { data: authority(resource) },
    }),
  },
  {
    group: EKS,
    kind: "Nodegroup",
    seconds: 1,
    required: ["name", "nodeRoleRef", "subnetRefs"],
    immutable: ["name", "instanceTypes", "diskSize", "amiType", "subnetRefs", "nodeRoleRef"],
    version: "version",
    refuses: nodegroupRefusal,
    leaves: leftNodeGroup,
    remembers: (resource) => ({ [NODES]: nodegroupNodes(resource), [TAINTS]: taintsText(resource) }),
    endless: (resource) => keepsTaints(resource) || keepsOldNodes(resource),
    writeBack: releaseWriteBack,
    machine: (resource) => {
      const [region, types] = [regionOf(resource), valueAt(resource.spec, "instanceTypes")];
      const first: unknown = Array.isArray(types) ? types[0] : null;
      return {
        place: region && `aws/${region}`,
        instanceType: typeof first === "string" ? first : null,
        imageExists: true,
      };
    },
    status: (resource) => ({
      ...metadataOf(resource, "eks", `nodegroup/${nameOf(resource)}/${uuidOf(resource)}`),
      status: "ACTIVE",
    }),
  },
];

/** The rules of each kind, with the answers of AWS. */
export const ACK_KINDS: readonly KindRule[] = [
  ...CLUSTER_KINDS,
  rule("VPC", 0.6, ["vpcID", "vpc", "vpc"], {
    required: ["cidrBlocks"],
    refuses: secondCallRefusal,
    heldBy: ({ metadata }) => metadata.annotations?.[LEFT_GROUP] || null,
  }),
  rule("InternetGateway", 0.5, ["internetGatewayID", "igw", "internet-gateway"], { refuses: secondCallRefusal }),
  rule("RouteTable", 0.5, ["routeTableID", "rtb", "route-table"], { refuses: secondCallRefusal }),
  rule("Subnet", 0.6, ["subnetID", "subnet", "subnet"], {
    required: ["cidrBlock"],
    immutable: ["cidrBlock", "availabilityZone"],
    refuses: subnetRefusal,
  }),
  rule("SecurityGroup", 0.6, ["id", "sg", "security-group"], {
    required: ["name", "description"],
    immutable: ["name", "description"],
    refuses: groupRefusal,
    staysAt: leftGroup,
  }),
  rule("NATGateway", 2, ["natGatewayID", "nat", "natgateway"]),
  rule("ElasticIPAddress", 0.5, ["allocationID", "eipalloc", "elastic-ip"]),
  rule("LaunchTemplate", 0.5, ["id", "lt", "launch-template"], {
    required: ["name", "data"],
    writeBack: ({ spec }) => (spec["defaultVersion"] === undefined ? { defaultVersion: 1 } : null),
  }),
  rule("Instance", 3, ["instanceID", "i", "instance"], {
    required: ["imageID", "instanceType"],
    immutable: ["instanceType"],
    // ACK has no update for them.
    ignored: [
      ...[
        "blockDeviceMappings",
        "imageID",
        "instanceInitiatedShutdownBehavior",
        "keyName",
        "launchTemplate",
        "maxCount",
        "networkInterfaces",
        "placement",
      ],
      "userData",
    ],
    refuses: withoutGroups,
    writeBack: instanceWriteBack,
    shutdown: instanceEnd,
    machine: (resource, lookup) => {
      const region = regionOf(resource);
      return {
        place: region && `aws/${region}`,
        zone: zoneOf(resource, lookup),
        instanceType: textAt(resource.spec, "instanceType"),
        imageExists: IMAGE.test(textAt(resource.spec, "imageID") ?? ""),
      };
    },
  }),
];
