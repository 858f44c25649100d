import schema from "../../schemas/kaas-cluster.schema.json" with { type: "json" };

/**
 * Covers only the fields that the mapping reads of kOps's Cluster, InstanceGroup and SSHCredential; other fields are
 * accepted.
 */
const name = { type: "string", minLength: 1, maxLength: 253, title: "a name", examples: ["prod.example.com"] };
const labels = {
  ...{ type: "object", nullable: true, title: "a map of labels" },
  additionalProperties: { type: "string", title: "a text in quotes", "x-free": true },
};
const metadata = {
  type: "object",
  required: ["name"],
  properties: { name, labels },
};
const texts = { type: "array", nullable: true, title: "a list of texts", items: { type: "string" } };
/** A part of an address: 0 to 255. */
const BYTE = String.raw`(25[0-5]|2[0-4]\d|1?\d{1,2})`;
const cidr = {
  ...{ type: "string", title: "an IPv4 network", examples: ["10.0.0.0/16"], "x-reads": "network" },
  pattern: `^${BYTE}(\\.${BYTE}){3}/(\\d|[12]\\d|3[0-2])$`,
};
/** A pool of a KaasCluster has no more nodes. */
const { maximum: most } = schema.properties.nodePools.items.properties.max;
const size = {
  type: "integer",
  nullable: true,
  minimum: 0,
  maximum: most,
  title: "a whole number of nodes",
  examples: [2],
};
const object = (spec: object) => ({
  type: "object",
  required: ["metadata", "spec"],
  properties: { metadata, spec: { type: "object", ...spec } },
});

/** The roles of kOps's API (k8s.io/kops/pkg/apis/kops), and the name that control planes had before. */
const ROLES = ["Node", "ControlPlane", "Master", "Bastion", "APIServer"];

export const MANIFEST_SCHEMAS = {
  Cluster: object({
    required: ["cloudProvider", "kubernetesVersion"],
    properties: {
      cloudProvider: { type: "string", title: "a provider", examples: ["aws"] },
      kubernetesVersion: {
        ...{ type: "string", title: "a version in quotes", examples: ["1.34.2"] },
        pattern: "^\\d+\\.\\d+(\\.\\d+(-[0-9A-Za-z.-]+)?)?$",
      },
      networkCIDR: cidr,
      serviceClusterIPRange: {
        ...{ type: "string", title: "a network", examples: ["100.64.0.0/13"] },
        pattern: "^(\\d{1,3}(\\.\\d{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:]*)/\\d{1,3}$",
      },
      dnsZone: { type: "string" },
      api: { type: "object", properties: { loadBalancer: { type: "object" } } },
      cloudLabels: labels,
      subnets: {
        ...{ type: "array", title: "a list of subnets with name and zone" },
        examples: [[{ name: "eu-west-1a", zone: "eu-west-1a" }]],
        items: {
          ...{ type: "object", title: "a map with name and zone" },
          examples: [{ name: "eu-west-1a", zone: "eu-west-1a" }],
          required: ["name"],
          properties: { name, zone: { type: "string", minLength: 1 }, region: { type: "string", minLength: 1 } },
        },
      },
      etcdClusters: {
        type: "array",
        items: { type: "object", required: ["etcdMembers"], properties: { etcdMembers: { type: "array" } } },
      },
    },
  }),
  InstanceGroup: object({
    required: ["role"],
    anyOf: [
      { required: ["machineType"] },
      { required: ["mixedInstancesPolicy"] },
      { required: ["manager"], properties: { manager: { const: "Karpenter" } } },
    ],
    properties: {
      role: {
        ...{ type: "string", title: "a role", enum: ROLES, examples: ["Node"] },
        "x-values": {
          ...{ nodes: "Node", worker: "Node", workers: "Node", compute: "Node", agent: "Node" },
          ...{
            controlplane: "ControlPlane",
            "control-plane": "ControlPlane",
            masters: "Master",
            server: "ControlPlane",
          },
        },
      },
      machineType: { type: "string", minLength: 1, title: "an instance type", examples: ["m7i.large"] },
      mixedInstancesPolicy: { type: "object", properties: { instances: texts } },
      minSize: size,
      maxSize: { ...size, "x-most": true },
      autoscale: { type: "boolean" },
      rootVolumeSize: {
        ...{ type: "integer", minimum: 1, title: "GiB as a whole number", examples: [128] },
        "x-unit": "GiB",
      },
      nodeLabels: labels,
      taints: {
        ...texts,
        title: "a list of taints",
        items: { type: "string", title: "a taint as key=value:effect", examples: ["gpu=true:NoSchedule"] },
      },
      subnets: texts,
    },
  }),
  SSHCredential: object({ required: ["publicKey"], properties: { publicKey: { type: "string" } } }),
} as const;
export type KopsKind = keyof typeof MANIFEST_SCHEMAS;
