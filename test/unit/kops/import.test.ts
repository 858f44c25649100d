import { lineOf } from "../../../src/errors.ts";
import { describe, expect, it } from "vitest";
import { parseDocuments } from "../../../src/cli/objects/read-documents.ts";
import { inKopsWords } from "../../../src/cli/commands/kops/kops-words.ts";
import { importCluster } from "../../../src/kops/import-cluster.ts";
import { readManifests } from "../../../src/kops/read-manifests.ts";
import { kopsCatalog } from "../../support/kops.ts";

/** As `kops create cluster --dry-run -o yaml` writes them, shortened. */
const CLUSTER = `
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata: { creationTimestamp: null, name: prod.example.com }
spec:
  api: { loadBalancer: { class: Network, type: Public } }
  authorization: { rbac: {} }
  channel: stable
  cloudProvider: aws
  configBase: s3://state/prod.example.com
  etcdClusters:
    - etcdMembers: [{ instanceGroup: control-plane-eu-west-1a, name: a, encryptedVolume: true }]
      name: main
  kubernetesApiAccess: [0.0.0.0/0]
  kubernetesVersion: v1.34.3
  networkCIDR: 172.20.0.0/16
  networking: { cilium: {} }
  nonMasqueradeCIDR: 100.64.0.0/10
  subnets:
    - { cidr: 172.20.0.0/17, name: eu-west-1a, type: Public, zone: eu-west-1a }
    - { cidr: 172.20.128.0/17, name: eu-west-1b, type: Public, zone: eu-west-1b }
`;
const group = (name: string, spec: string, cluster = "prod.example.com"): string => `---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata: { name: ${name}, labels: { kops.k8s.io/cluster: ${cluster} } }
spec: ${spec}
`;
const MASTER = group(
  "control-plane-eu-west-1a",
  "{ role: ControlPlane, machineType: m6i.large, minSize: 1, maxSize: 1, subnets: [eu-west-1a], image: ami-1 }",
);
const node = (extra: string, name = "nodes-eu-west-1a"): string =>
  group(name, `{ role: Node, machineType: m7i.xlarge, minSize: 2, maxSize: 2, subnets: [eu-west-1a]${extra} }`);
const NODES = node(
  ', rootVolumeSize: 100, taints: ["a=b:NoExecute"], nodeLabels: { kops.k8s.io/instancegroup: nodes-eu-west-1a }',
);
const BASTION = group(
  "bastions",
  "{ role: Bastion, machineType: t3.micro, minSize: 1, maxSize: 1, subnets: [eu-west-1a] }",
);

const read = (source: string) => readManifests("cluster.yaml", parseDocuments("cluster.yaml", source));
const imported = (source: string) => importCluster(read(source), kopsCatalog);

describe("a cluster whose name is too long for a KaasCluster", () => {
  it.each([
    ["a".repeat(44), []],
    ["a".repeat(45), ["metadata.name"]],
  ])("%s: noted at %j", (name, expected) => {
    const { cluster, notes } = imported(
      `${CLUSTER}${MASTER}${NODES}`.replaceAll("prod.example.com", `${name}.example.com`),
    );
    expect(cluster.name).toBe(name);
    expect(notes.map(({ path }) => path).filter((path) => path === "metadata.name")).toEqual(expected);
  });
});

describe("a cluster made by kOps", () => {
  const second = node("", "nodes-eu-west-1b").replace("[eu-west-1a]", "[eu-west-1b]");
  const { cluster, notes } = imported(`${CLUSTER}${MASTER}${NODES}${second}${BASTION}`);

  it("becomes a KaasCluster of the same place, network, version and pools", () => {
    const pool = { count: 2, cpu: 4, memory: 16 };
    expect(cluster).toEqual({
      name: "prod",
      spec: {
        provider: "aws",
        schedulingLocation: "eu-west-1",
        zones: ["eu-west-1a", "eu-west-1b"],
        kubernetesVersion: "1.34",
        endpoint: "public",
        highAvailability: false,
        network: { nodeCidr: "172.20.0.0/16", serviceCidr: "100.64.0.0/13" },
        nodePools: [
          { name: "nodes", ...pool, diskGiB: 100, taints: [{ key: "a", value: "b", effect: "NoExecute" }] },
          { name: "nodes2", ...pool, diskGiB: 128 },
        ],
        poolInstanceTypes: { nodes: "m7i.xlarge", nodes2: "m7i.xlarge" },
      },
    });
  });

  it("reports every loss", () => {
    const paths = notes.map(({ path }) => path);
    const of = (name: string) => `Cluster/prod.example.com ${name}`;
    expect(paths).toEqual(
      expect.arrayContaining([
        of("metadata.name"),
        of("spec.configBase"),
        of("spec.kubernetesVersion"),
        of("spec.networking.cilium"),
        of("spec.subnets[0].cidr"),
        "InstanceGroup/control-plane-eu-west-1a spec.machineType",
        "InstanceGroup/control-plane-eu-west-1a spec.image",
        "InstanceGroup/bastions spec",
      ]),
    );
    const version = notes.find(({ path }) => path === of("spec.kubernetesVersion"));
    expect(version).toMatchObject({ code: "KOPS_CHANGED", value: "1.34.3" });
    expect(paths).not.toContain(of("metadata.creationTimestamp"));
    expect(paths.filter((path) => path.includes("nodeLabels"))).toEqual([]);
  });
});

it("a field without a value is as good as none", () => {
  const empty = node(", taints: , nodeLabels: , minSize: , maxSize: ").replace("minSize: 2, maxSize: 2, ", "");
  const { cluster } = imported(`${CLUSTER.replace("  channel: stable", "  cloudLabels:")}${MASTER}${empty}`);
  expect(cluster.spec.nodePools).toEqual([{ name: "nodes", count: 2, cpu: 4, memory: 16, diskGiB: 128 }]);
});

describe("a cluster that does not map", () => {
  const elemento = (zone: string, extra = ""): string =>
    `${CLUSTER.replace("aws", "elemento").replace(/subnets:[^]*/, `subnets: [{ name: s, zone: ${zone}${extra} }]`)}
${group("n", "{ role: Node, machineType: Neon, minSize: 1, maxSize: 1, subnets: [s] }")}`;

  it.each([
    ["a Pod", "apiVersion: v1\nkind: Pod\nmetadata: { name: a }", "KOPS_MANIFEST"],
    ["a newer version", CLUSTER.replace("v1alpha2", "v1alpha3"), "KOPS_MANIFEST"],
    [
      "a kind with the name of what every object has",
      CLUSTER.replace("kind: Cluster", "kind: constructor"),
      "KOPS_MANIFEST",
    ],
    ["no object", "- 1", "KOPS_MANIFEST"],
    ["nothing", "", "KOPS_MANIFEST"],
    ["groups without a cluster", NODES, "KOPS_MANIFEST"],
    ["two Clusters", `${CLUSTER}---${CLUSTER}${NODES}`, "KOPS_MANIFEST"],
    ["a cluster without nodes", `${CLUSTER}${MASTER}`, "KOPS_MANIFEST"],
    [
      "a group of another cluster",
      `${CLUSTER}${group("x", "{ role: Node, machineType: t3.medium, minSize: 1, maxSize: 1 }", "b.c")}`,
      "KOPS_GROUP",
    ],
    ["a group that is there twice", `${CLUSTER}${NODES}${NODES}`, "KOPS_GROUP"],
    ["a machine type that is unknown", `${CLUSTER}${NODES.replace("m7i.xlarge", "m7i.huge")}`, "KOPS_MACHINE"],
    [
      "a range of services that is none",
      `${CLUSTER.replace("  networkCIDR", "  serviceClusterIPRange: none\n  networkCIDR")}${NODES}`,
      "KOPS_FIELD",
    ],
    ["a group without a machine type", `${CLUSTER}${NODES.replace("machineType: m7i.xlarge, ", "")}`, "KOPS_FIELD"],
    ["a size that is not a number", `${CLUSTER}${NODES.replace("minSize: 2", "minSize: many")}`, "KOPS_FIELD"],
    ["a version that YAML reads as a number", CLUSTER.replace("v1.34.3", "1.30") + NODES, "KOPS_FIELD"],
    [
      "a subnet that the cluster does not have",
      `${CLUSTER}${NODES.replace("[eu-west-1a]", "[eu-west-1c]")}`,
      "KOPS_SUBNET",
    ],
    [
      "a group without subnets",
      `${CLUSTER}${NODES.replace("subnets: [eu-west-1a], ", "subnets: [], ")}`,
      "KOPS_SUBNET",
    ],
    ["a cluster without subnets", `${CLUSTER.replace(/ {2}subnets:[^]*/, "")}${NODES}`, "KOPS_SUBNET"],
    ["zones of two regions", `${CLUSTER.replace("zone: eu-west-1b", "zone: us-east-1b")}${NODES}`, "KOPS_ZONE"],
    ["zones of two regions", `${CLUSTER.replace("zone: eu-west-1a", "zone: eu-moon-1a")}${NODES}`, "KOPS_ZONE"],
    ["another cloud", `${CLUSTER.replace("cloudProvider: aws", "cloudProvider: gce")}${NODES}`, "KOPS_PROVIDER"],
    ["a zone that Elemento does not have", elemento("fsn1"), "KOPS_ZONE"],
    ["a location that Elemento does not have", elemento("ovh", ", region: ovh-moon"), "KOPS_ZONE"],
  ])("is refused: %s", (_name, source, code) => {
    expect(() => imported(source)).toThrow(expect.objectContaining({ code }) as Error);
  });

  it("with several wrong fields tells all of them, with what to write", () => {
    const wrong = CLUSTER.replace("cloudProvider: aws", "cloudProvider: [aws]").replace("v1.34.3", "1.30");
    const groups = NODES.replace("minSize: 2", 'minSize: "2"').replace("machineType: m7i.xlarge, ", "");
    expect(() => imported(wrong + groups)).toThrow(
      expect.objectContaining({
        code: "KOPS_FIELD",
        params: expect.objectContaining({
          field: "spec.cloudProvider",
          correction: expect.stringMatching(
            /^write cloudProvider: aws; also Cluster \S+: spec\.kubernetesVersion .{1,200}; also InstanceGroup \S+: spec\.minSize "2" .{1,80}write minSize: 2; also InstanceGroup \S+: spec\.machineType is missing.{1,100}$/,
          ) as string,
        }) as object,
      }) as Error,
    );
  });

  it.each([
    [
      "spec: {cloudProvider: aws}",
      "has no apiVersion and no kind; write apiVersion: kops.k8s.io/v1alpha2 and kind: Cluster",
    ],
    ["kind: InstanceGroup", "has no apiVersion; write apiVersion: kops.k8s.io/v1alpha2"],
    ["apiVersion: kops.k8s.io/v1alpha2\nspec: {role: Node}", "has no kind; write kind: InstanceGroup"],
    ["[{kind: Cluster}]", 'is a list; remove "- " before its objects'],
  ])("without what every object has is told what to write: %s", (source, says) => {
    expect(() => imported(source)).toThrow(
      expect.objectContaining({
        code: "KOPS_MANIFEST",
        params: expect.objectContaining({ detail: `document 1 ${says}` }) as object,
      }) as Error,
    );
  });

  it("with a fraction of nodes gets no more nodes than it says", () => {
    const groups = NODES.replace("minSize: 2", "minSize: 1.5").replace(/maxSize: \d+/, "maxSize: 3.5");
    const correction = expect.stringMatching(/minSize: 2; also .{1,200}maxSize: 3$/) as string;
    expect(() => imported(CLUSTER + groups)).toThrow(
      expect.objectContaining({ params: expect.objectContaining({ correction }) as object }) as Error,
    );
  });

  it.each([
    ["a provider in capitals", CLUSTER.replace("Provider: aws", "Provider: AWS") + NODES, "write cloudProvider: aws"],
    [
      "a provider by its company",
      CLUSTER.replace("Provider: aws", "Provider: amazon") + NODES,
      "write cloudProvider: aws",
    ],
    [
      "another provider",
      CLUSTER.replace("Provider: aws", "Provider: gce") + NODES,
      "import a cluster of aws or elemento",
    ],
    [
      "a subnet that is nearly one of the cluster's",
      CLUSTER + NODES.replace("subnets: [eu-west-1a]", "subnets: [eu-west1a]"),
      "names the subnet eu-west1a, which the cluster does not have; write subnets: [eu-west-1a]",
    ],
    [
      "a subnet of which there is none like it",
      CLUSTER + NODES.replace("subnets: [eu-west-1a]", "subnets: [eu-west-1a, private]"),
      "write subnets: [eu-west-1a, eu-west-1b]",
    ],
    [
      "zones of two regions",
      CLUSTER.replace("zone: eu-west-1b", "zone: us-east-1b") + NODES,
      "eu-west-1a is in eu-west-1, us-east-1b is in us-east-1, and a cluster is in one AWS region; write zones of one region in spec.subnets, e.g. eu-west-1a and eu-west-1b or us-east-1a and us-east-1b",
    ],
    [
      "a network without such a prefix",
      CLUSTER.replace("networkCIDR: 172.20.0.0/16", "networkCIDR: 172.20.0.0/33") + NODES,
      'spec.networkCIDR "172.20.0.0/33" has the prefix length 33; write an IPv4 network, e.g. networkCIDR: 172.20.0.0/16',
    ],
    [
      "more nodes than a pool has",
      CLUSTER + NODES.replace("maxSize: 2", "maxSize: 5000"),
      "InstanceGroup nodes-eu-west-1a: spec.maxSize 5000 is more than 1000; write 1000 or less",
    ],
    [
      "a kind in other capitals",
      CLUSTER + NODES.replace("InstanceGroup", "Instancegroup"),
      "; write kind: InstanceGroup; give",
    ],
    [
      "another version of the API",
      CLUSTER.replace("v1alpha2", "v1beta1") + NODES,
      "; write apiVersion: kops.k8s.io/v1alpha2; give",
    ],
    [
      "a KaasCluster",
      "apiVersion: composition.krateo.io/v0-2-0\nkind: KaasCluster\nmetadata: { name: a }",
      "it holds no Cluster but a KaasCluster, which `landfall export kops` maps to kOps",
    ],
  ])("%s is told with what to write", (_name, source, says) => {
    const text = ((): string => {
      try {
        imported(source);
        return "";
      } catch (thrown) {
        return lineOf(thrown);
      }
    })();
    expect(text).toContain(says);
  });

  it.each([
    ["min: 1 and max: 5", "minSize: 1 and maxSize: 5"],
    ["spec.nodePools[0].max 5 is wrong", "InstanceGroup nodes-eu-west-1a: spec.maxSize 5 is wrong"],
    ["spec.nodePools[0]: pool nodes has max 3", "InstanceGroup nodes-eu-west-1a: has maxSize 3"],
    ["spec.network.nodeCidr: 10.0.0.1/16 is none", "spec.networkCIDR: 10.0.0.1/16 is none"],
  ])("a KaasCluster's %s is %s in the words of kOps", (text, says) => {
    expect(inKopsWords(text, read(CLUSTER + NODES))).toBe(says);
  });

  const withField = (field: string): string =>
    group("n", `{ role: Node, machineType: m7i.large, minSize: 1, maxSize: 1, subnets: [eu-west-1a], ${field} }`);

  it.each([
    [
      "a role in small letters",
      NODES.replace("role: Node", "role: node"),
      'spec.role "node" is not one of Node,',
      "write role: Node",
    ],
    ["a role of another tool", NODES.replace("role: Node", "role: worker"), 'spec.role "worker"', "write role: Node"],
    [
      "a role for control planes",
      MASTER.replace(/role: \w+/, "role: control-plane"),
      "spec.role",
      "write role: ControlPlane",
    ],
    [
      "a disk with a unit",
      withField("rootVolumeSize: 100GB"),
      '"100GB"',
      "write GiB as a whole number: rootVolumeSize: 100",
    ],
    [
      "a taint as a map",
      withField("taints: [{ key: gpu }]"),
      "spec.taints[0]",
      "write a taint as key=value:effect, e.g. ",
    ],
    ["a label that is true", withField("nodeLabels: { gpu: true }"), "spec.nodeLabels.gpu true", 'write gpu: "true"'],
    [
      "a slip in a type",
      NODES.replace("m7i.xlarge", "m7i.xlagre"),
      "m7i.xlagre: unknown at aws",
      "write machineType: m7i.xlarge, if",
    ],
    [
      "a type that is like none",
      NODES.replace("m7i.xlarge", "huge"),
      "huge: unknown at aws",
      "use a type that `landfall types --provider aws` lists",
    ],
  ])("says what to write for %s", (_name, nodes, says, write) => {
    const line = (): string => {
      try {
        return JSON.stringify(imported(`${CLUSTER}${nodes}`));
      } catch (thrown) {
        return lineOf(thrown);
      }
    };
    expect(line()).toContain(says);
    expect(line()).toContain(`; ${write}`);
  });

  it("is rejected if aliases would fill the memory", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 12; level += 1) {
      const alias = `*a${String(level - 1)}`;
      lines.push(`a${String(level)}: &a${String(level)} [${Array.from({ length: 9 }, () => alias).join(", ")}]`);
    }
    expect(() => read(lines.join("\n"))).toThrow(expect.objectContaining({ code: "CLI_INPUT" }) as Error);
  });

  it("has no place from a continent, and one from the provider alone only if it has one location", () => {
    const ofContinent = imported(elemento("europe"));
    expect(ofContinent.cluster.spec.schedulingLocation).toBeUndefined();
    expect(ofContinent.notes).toContainEqual(
      expect.objectContaining({ code: "KOPS_NOT_MAPPED", path: "Cluster/prod.example.com spec.subnets[0].zone" }),
    );
    expect(imported(elemento("ovh")).cluster.spec.schedulingLocation).toBeUndefined();
    expect(imported(elemento("gigas")).cluster.spec).toMatchObject({
      schedulingLocation: "gigas-lisbon",
      poolInstanceTypes: { n: "neon" },
    });
  });
});

it.each([
  ["1.31.2", "2026-11-21", "aws does not offer it"],
  ["1.33.0", "2026-11-21", "aws supported it until 2026-07-29"],
  ["1.34.0", "2026-12-03", "aws supported it until 2026-12-02"],
  ["1.34.0", "2026-12-02", null],
  ["1.35.0", "2026-11-21", null],
])("notes a version that its provider no longer has: %s on %s: %s", (version, today, expected) => {
  const manifests = readManifests("a.yaml", [
    {
      apiVersion: "kops.k8s.io/v1alpha2",
      kind: "Cluster",
      metadata: { name: "shop.example.com" },
      spec: {
        ...{ cloudProvider: "aws", kubernetesVersion: version, networking: { cni: {} } },
        subnets: [{ name: "a", zone: "eu-west-1a", type: "Public", cidr: "172.20.32.0/19" }],
        etcdClusters: [{ name: "main", etcdMembers: [{ name: "a", instanceGroup: "control" }] }],
      },
    },
    ...["Master", "Node"].map((role) => ({
      apiVersion: "kops.k8s.io/v1alpha2",
      kind: "InstanceGroup",
      metadata: { name: role === "Node" ? "nodes" : "control", labels: { "kops.k8s.io/cluster": "shop.example.com" } },
      spec: { role, machineType: "t3.medium", minSize: 1, maxSize: 1, subnets: ["a"] },
    })),
  ]);
  const { notes } = importCluster(manifests, { ...kopsCatalog, today });
  const found = notes.find(({ message }) => message.includes("kubernetesVersion: "));
  expect(found?.message.includes(expected ?? "") ?? false).toBe(expected !== null);
  if (expected === null) return;
  expect(found).toMatchObject({ code: "KOPS_NOT_MAPPED", path: "Cluster/shop.example.com spec.kubernetesVersion" });
  expect(found?.message).toContain('"1.35"');
});
