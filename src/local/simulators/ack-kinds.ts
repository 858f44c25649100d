import { authority, endpoint } from "./cluster-values.ts";
import { nodegroupRefusal, releaseWriteBack } from "./pool-versions.ts";
import { cloudId, digits, publicAddress, textAt, uuidOf, valueAt } from "./fields.ts";
import { askedEviction, askedShutdown } from "./decide-phase.ts";
import type { KindRule, Resource, Shutdown } from "./types.ts";

export const EC2 = "ec2.services.k8s.aws";
export const EKS = "eks.services.k8s.aws";
export const IAM = "iam.services.k8s.aws";
const ACCOUNT = "000000000000";

/** An AMI's id, or the parameter of Systems Manager that holds one. */
const IMAGE = /^(ami-[0-9a-f]{8,17}|resolve:ssm:\/.+)$/;

const regionOf = (resource: Resource): string | null =>
  resource.metadata.annotations?.["services.k8s.aws/region"] ??
  textAt(resource.spec, "placement.availabilityZone")?.replace(/[a-z]$/, "") ??
  null;

/** An image's id instead of its parameter; the disks are gone, and the network's card is there. */
function instanceWriteBack(resource: Resource): Record<string, unknown> | null {
  const { spec, metadata } = resource;
  const card = { deviceIndex: 0, subnetID: textAt(spec, "subnetID") ?? cloudId("subnet-", resource) };
  const image = textAt(spec, "imageID") ?? "";
  const found = {
    ...(image.startsWith("resolve:") ? { imageID: `ami-${digits(image, 17)}` } : {}),
    ...(spec["blockDeviceMappings"] === undefined ? {} : { blockDeviceMappings: null }),
    ...(spec["networkInterfaces"] === undefined ? { networkInterfaces: [card] } : {}),
  };
  return metadata.deletionTimestamp !== undefined || Object.keys(found).length === 0 ? null : found;
}

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

/** Annotation that stands for a machine which was stopped by hand. ACK sees it when it looks: a new annotation is no reason to. */
export const STOPPED_BY_HAND = "simulators.landfall.dev/stopped";

const STOPPED = { state: { code: 80, name: "stopped" } };
const RUNNING = { state: { code: 16, name: "running" } };

const stateOf = ({ metadata }: Resource): Record<string, unknown> =>
  metadata.annotations?.[STOPPED_BY_HAND] === "true" ? STOPPED : RUNNING;

/** Fields of status besides the ids, by kind. */
const EXTRA: Readonly<Record<string, (resource: Resource) => Record<string, unknown>>> = {
  VPC: () => ({ state: "available" }),
  Subnet: () => ({ state: "available" }),
  ElasticIPAddress: (resource) => ({ publicIP: publicAddress(resource) }),
  Instance: (resource) => ({ ...stateOf(resource), publicIPAddress: publicAddress(resource) }),
};

const metadataOf = (resource: Resource, service: string, path: string): Record<string, unknown> => {
  const region = regionOf(resource) ?? "us-east-1";
  const arn = `arn:aws:${service}:${service === "iam" ? "" : region}:${ACCOUNT}:${path}`;
  return { ackResourceMetadata: { arn, ownerAccountID: ACCOUNT, region } };
};

const nameOf = (resource: Resource): string => textAt(resource.spec, "name") ?? resource.metadata.name;

/**
 * EC2 stops a machine that shuts itself down, or terminates it. ACK reads it at its next resync, and creates one that is terminated
 * again: https://github.com/aws-controllers-k8s/ec2-controller/blob/main/pkg/resource/instance/hooks.go (needsRestart).
 */
function shutdown(resource: Resource): Shutdown | null {
  const isSpot = textAt(resource.spec, "instanceMarketOptions.marketType") === "spot";
  const evicted = isSpot ? askedEviction(resource) : null;
  const seconds = evicted ?? askedShutdown(resource);
  if (seconds === null) return null;
  const ends = evicted !== null || textAt(resource.spec, "instanceInitiatedShutdownBehavior") === "terminate";
  return { seconds, status: ends ? { instanceID: `i-${digits([resource.metadata.uid, "again"], 17)}` } : STOPPED };
}

/** The kinds of a managed cluster, with the answers of EKS and IAM. */
const CLUSTER_KINDS: readonly KindRule[] = [
  {
    group: IAM,
    kind: "Role",
    seconds: 0.5,
    required: ["name", "assumeRolePolicyDocument"],
    immutable: ["name"],
    status: (resource) => ({
      ...metadataOf(resource, "iam", `role/${nameOf(resource)}`),
      roleID: cloudId("AROA", resource).toUpperCase(),
    }),
  },
  {
    group: EKS,
    kind: "Cluster",
    seconds: 2,
    required: ["name", "resourcesVPCConfig.subnetRefs", "roleRef"],
    immutable: ["name", "roleRef", "kubernetesNetworkConfig"],
    version: "version",
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
    writeBack: instanceWriteBack,
    shutdown,
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
