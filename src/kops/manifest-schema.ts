/**
 * Covers only the fields that the mapping reads of kOps's Cluster, InstanceGroup and SSHCredential; other fields are
 * accepted.
 */
const name = { type: "string", minLength: 1, maxLength: 253 };
const labels = { type: "object", nullable: true, additionalProperties: { type: "string" } };
const metadata = {
  type: "object",
  required: ["name"],
  properties: { name, labels },
};
const texts = { type: "array", nullable: true, items: { type: "string" } };
const cidr = { type: "string", pattern: "^\\d{1,3}(\\.\\d{1,3}){3}/\\d{1,2}$" };
const size = { type: "integer", nullable: true, minimum: 0 };
const object = (spec: object) => ({
  type: "object",
  required: ["metadata", "spec"],
  properties: { metadata, spec: { type: "object", ...spec } },
});

export const MANIFEST_SCHEMAS = {
  Cluster: object({
    required: ["cloudProvider", "kubernetesVersion"],
    properties: {
      cloudProvider: { type: "string" },
      kubernetesVersion: { type: "string", pattern: "^\\d+\\.\\d+(\\.\\d+(-[0-9A-Za-z.-]+)?)?$" },
      networkCIDR: cidr,
      serviceClusterIPRange: {
        type: "string",
        pattern: "^(\\d{1,3}(\\.\\d{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:]*)/\\d{1,3}$",
      },
      dnsZone: { type: "string" },
      api: { type: "object", properties: { loadBalancer: { type: "object" } } },
      cloudLabels: labels,
      subnets: {
        type: "array",
        items: {
          type: "object",
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
      role: { type: "string" },
      machineType: { type: "string", minLength: 1 },
      mixedInstancesPolicy: { type: "object", properties: { instances: texts } },
      minSize: size,
      maxSize: size,
      autoscale: { type: "boolean" },
      rootVolumeSize: { type: "integer", minimum: 1 },
      nodeLabels: labels,
      taints: texts,
      subnets: texts,
    },
  }),
  SSHCredential: object({ required: ["publicKey"], properties: { publicKey: { type: "string" } } }),
} as const;
export type KopsKind = keyof typeof MANIFEST_SCHEMAS;
