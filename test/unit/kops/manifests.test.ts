import { describe, expect, it } from "vitest";
import { commandLine, type CommandOptions } from "../../../src/kops/command-line.ts";
import { defaultFlags } from "../../../src/kops/defaults.ts";
import { exportCluster } from "../../../src/kops/export-cluster.ts";
import { inOrder } from "../../../src/kops/to-kops.ts";
import type { KopsFlags } from "../../../src/kops/types.ts";
import { vm } from "../../support/admission.ts";
import { kopsCatalog } from "../../support/kops.ts";

type Fields = Record<string, unknown>;

const edge: Fields = {
  provider: "elemento",
  schedulingLocation: "ovh-fr-paris",
  kubernetesVersion: "1.34",
  network: { nodeCidr: "192.168.100.0/24" },
  nodePools: [{ name: "workers", count: 2, cpu: 2, memory: 2 }],
  poolInstanceTypes: { workers: "neon" },
};
const shop: Fields = {
  provider: "aws",
  schedulingLocation: "eu-west-1",
  kubernetesVersion: "1.35",
  zones: ["eu-west-1a", "eu-west-1b", "eu-west-1c"],
  highAvailability: true,
  endpoint: "private",
  deadline: "2026-12-01T00:00:00Z",
  nodePools: [
    { name: "web", min: 1, max: 4, cpu: 2, memory: 7, labels: { tier: "a" } },
    { name: "train", count: 1, cpu: 4, memory: 16, gpu: 1, taints: [{ key: "gpu", effect: "NoSchedule" }] },
  ],
  poolInstanceTypes: { web: "m7i.large", train: "g4dn.xlarge" },
};

const made = (spec: Fields, flags: Partial<KopsFlags> = {}) =>
  exportCluster({ ...vm(spec), kind: "KaasCluster", spec }, { ...defaultFlags(flags.dnsZone), ...flags }, kopsCatalog);
const named = (spec: Fields, flags: Partial<KopsFlags> = {}) =>
  Object.fromEntries(
    inOrder(made(spec, flags).manifests).map((one) => [`${one.kind}/${one.metadata.name ?? ""}`, one]),
  );

describe("the manifests", () => {
  it("for Elemento have the fields of its note, field by field", () => {
    const flags = {
      zone: "europe",
      dnsZone: "k8s.example.com",
      state: "s3://state",
      sshPublicKey: "ssh-ed25519 AAAA me",
    };
    const manifests = named(edge, flags);
    expect(Object.keys(manifests)).toEqual([
      "Cluster/web.k8s.example.com",
      "InstanceGroup/control-plane-europe",
      "InstanceGroup/nodes-europe",
      "SSHCredential/admin",
    ]);
    const group = { image: "ubuntu-24-04", rootVolumeSize: 64, subnets: ["europe"] };
    expect(manifests["InstanceGroup/control-plane-europe"]).toEqual({
      apiVersion: "kops.k8s.io/v1alpha2",
      kind: "InstanceGroup",
      metadata: { name: "control-plane-europe", labels: { "kops.k8s.io/cluster": "web.k8s.example.com" } },
      spec: { ...group, machineType: "argon", minSize: 1, maxSize: 1, role: "Master" },
    });
    expect(manifests["InstanceGroup/nodes-europe"]?.spec).toEqual({
      ...group,
      machineType: "neon",
      minSize: 2,
      maxSize: 2,
      autoscale: false,
      role: "Node",
    });
    expect(manifests["SSHCredential/admin"]).toMatchObject({
      metadata: { labels: { "kops.k8s.io/cluster": "web.k8s.example.com" } },
      spec: { publicKey: "ssh-ed25519 AAAA me" },
    });
    expect(manifests["Cluster/web.k8s.example.com"]?.spec).toMatchObject({
      cloudProvider: "elemento",
      configBase: "s3://state/web.k8s.example.com",
      dnsZone: "k8s.example.com",
      topology: { dns: { type: "Public" } },
      kubernetesVersion: "1.34.0",
      networkCIDR: "192.168.100.0/24",
      networking: { cilium: {} },
      subnets: [{ name: "europe", zone: "europe", region: "ovh-fr-paris", cidr: "192.168.100.0/24", type: "Public" }],
    });
  });

  it("for AWS have a control plane member per zone, and quarters of the network", () => {
    const manifests = named(shop);
    expect(Object.keys(manifests)).toEqual([
      "Cluster/web.k8s.local",
      "InstanceGroup/control-plane-eu-west-1a",
      "InstanceGroup/control-plane-eu-west-1b",
      "InstanceGroup/control-plane-eu-west-1c",
      "InstanceGroup/nodes-web-eu-west-1",
      "InstanceGroup/nodes-train-eu-west-1",
    ]);
    const spec: Fields = manifests["Cluster/web.k8s.local"]?.spec ?? {};
    expect(spec).toMatchObject({
      api: { loadBalancer: { class: "Network", type: "Internal" } },
      kubernetesApiAccess: ["10.0.0.0/16"],
      networking: { amazonvpc: {} },
      nonMasqueradeCIDR: "172.20.0.0/16",
      serviceClusterIPRange: "172.20.0.0/16",
      topology: { dns: { type: "None" } },
    });
    const subnets = (given: Fields) =>
      (given["subnets"] as Fields[]).map(({ name, type, zone, cidr }) => [name, type, zone, cidr]);
    // kOps puts an internal load balancer into private subnets only, and gateways into utility subnets.
    expect(subnets(spec)).toEqual([
      ["eu-west-1a", "Private", "eu-west-1a", "10.0.0.0/19"],
      ["eu-west-1b", "Private", "eu-west-1b", "10.0.64.0/19"],
      ["eu-west-1c", "Private", "eu-west-1c", "10.0.128.0/19"],
      ["utility-eu-west-1a", "Utility", "eu-west-1a", "10.0.32.0/19"],
      ["utility-eu-west-1b", "Utility", "eu-west-1b", "10.0.96.0/19"],
      ["utility-eu-west-1c", "Utility", "eu-west-1c", "10.0.160.0/19"],
    ]);
    expect(subnets(made({ ...shop, endpoint: "public" }).manifests.cluster.spec)).toEqual([
      ["eu-west-1a", "Public", "eu-west-1a", "10.0.0.0/18"],
      ["eu-west-1b", "Public", "eu-west-1b", "10.0.64.0/18"],
      ["eu-west-1c", "Public", "eu-west-1c", "10.0.128.0/18"],
    ]);
    const members = (spec["etcdClusters"] as { etcdMembers: Fields[] }[]).map(({ etcdMembers }) => etcdMembers);
    expect(members[0]?.map(({ name, instanceGroup }) => [name, instanceGroup])).toEqual([
      ["a", "control-plane-eu-west-1a"],
      ["b", "control-plane-eu-west-1b"],
      ["c", "control-plane-eu-west-1c"],
    ]);
    expect(manifests["InstanceGroup/nodes-web-eu-west-1"]?.spec).toMatchObject({
      autoscale: true,
      minSize: 1,
      maxSize: 4,
      nodeLabels: { tier: "a" },
      subnets: ["eu-west-1a", "eu-west-1b", "eu-west-1c"],
    });
    expect(manifests["InstanceGroup/nodes-train-eu-west-1"]?.spec).toMatchObject({ taints: ["gpu:NoSchedule"] });
  });

  it("give members in one zone unique names, and pods and services a range outside the nodes' network", () => {
    const { cluster, controlPlane } = made({
      ...edge,
      highAvailability: true,
      network: { nodeCidr: "100.64.0.0/16" },
    }).manifests;
    expect(controlPlane.map(({ metadata }) => metadata.name)).toEqual(
      [1, 2, 3].map((n) => `control-plane-ovh-${String(n)}`),
    );
    expect(cluster.spec["nonMasqueradeCIDR"]).toBe("172.16.0.0/12");
  });

  it("have kOps's own range for pods and services around services that are in it", () => {
    const ranges = (serviceCidr: string) => made({ ...shop, network: { serviceCidr } }).manifests.cluster.spec;
    expect(ranges("100.64.0.0/13")).toMatchObject({
      nonMasqueradeCIDR: "100.64.0.0/10",
      serviceClusterIPRange: "100.64.0.0/13",
    });
    expect(ranges("10.3.0.0/20")).toMatchObject({
      nonMasqueradeCIDR: "10.3.0.0/20",
      serviceClusterIPRange: "10.3.0.0/20",
    });
  });

  it("have an image of the machine's architecture, unless a flag names one", () => {
    const nodePools = [
      { name: "arm", cpu: 4, memory: 16 },
      { name: "web", cpu: 2, memory: 8 },
    ];
    const spec = { ...shop, nodePools, poolInstanceTypes: { arm: "m6g.xlarge", web: "m7i.large" } };
    const images = (flags: Partial<KopsFlags>) => made(spec, flags).manifests.nodes.map((group) => group.spec["image"]);
    const path = (arch: string) =>
      `ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/${arch}/hvm/ebs-gp3/ami-id`;
    expect(images({})).toEqual([path("arm64"), path("amd64")]);
    expect(images({ image: "ami-1" })).toEqual(["ami-1", "ami-1"]);
    const { controlPlane } = made(spec, { controlPlaneSize: "t4g.medium" }).manifests;
    expect(controlPlane[0]?.spec["image"]).toBe(path("arm64"));
  });

  it("have each taint once, and say so", () => {
    const taint = { key: "gpu", effect: "NoSchedule" };
    const nodePools = [{ name: "web", cpu: 2, memory: 8, taints: [taint, { ...taint, value: "a" }, taint] }];
    const { manifests, notes } = made({ ...shop, nodePools, poolInstanceTypes: { web: "m7i.large" } });
    expect(manifests.nodes[0]?.spec["taints"]).toEqual(["gpu:NoSchedule", "gpu=a:NoSchedule"]);
    expect(notes.map(({ path }) => path)).toContain("spec.nodePools[0].taints[2].key");
  });

  it("come with a list of lost and changed values", () => {
    const notes = made(shop).notes.map(({ code, path }) => [code, path]);
    expect(notes).toEqual([
      ["KOPS_NOT_MAPPED", "metadata.namespace"],
      ["KOPS_NOT_MAPPED", "spec.deadline"],
      ["KOPS_CHANGED", "spec.nodePools[0].memory"],
    ]);
    expect(made(shop).notes[2]?.message).toBe("spec.nodePools[0].memory (7) becomes 8: the machine type carries it");
  });

  it.each([
    ["a patch version of another minor", edge, { kubernetesVersion: "1.33.2" }, "CLI_USAGE"],
    ["public DNS in the zone of gossip", edge, { dnsZone: "k8s.local", dns: "public" as const }, "CLI_USAGE"],
    ["private DNS below it", shop, { dnsZone: "team.k8s.local", dns: "private" as const }, "CLI_USAGE"],
    ["the zone of another provider", edge, { zone: "ionos" }, "KOPS_ZONE"],
    ["a network too small for private subnets", { ...shop, network: { nodeCidr: "10.0.0.0/26" } }, {}, "KOPS_NETWORK"],
    ["no zones on AWS", { ...shop, zones: [] }, {}, "KOPS_ZONE"],
    ["a type that there is not", { ...edge, poolInstanceTypes: { workers: "krypton" } }, {}, "KOPS_MACHINE"],
    [
      "the name of what every object has",
      { ...edge, poolInstanceTypes: { workers: "constructor" } },
      {},
      "KOPS_MACHINE",
    ],
    [
      "the smallest flavour, which is no node",
      { ...edge, poolInstanceTypes: { workers: "helium" } },
      {},
      "KOPS_MACHINE",
    ],
  ])("are refused for %s", (_name, spec, flags, code) => {
    expect(() => made(spec, flags)).toThrow(expect.objectContaining({ code }) as Error);
  });
});

describe("the command line", () => {
  const line = (spec: Fields, flags: Partial<KopsFlags> = {}, options: Partial<CommandOptions> = {}) =>
    commandLine(made(spec, flags).manifests, {
      flags: { ...defaultFlags(flags.dnsZone), ...flags },
      target: "direct",
      sshPublicKeyFile: null,
      ...options,
    });

  it("has every flag that Elemento's note maps", () => {
    const { words } = line(
      edge,
      { zone: "europe", state: "s3://state" },
      { sshPublicKeyFile: "id.pub", target: "dryrun" },
    );
    expect(words.slice(0, 3)).toEqual(["kops", "create", "cluster"]);
    expect(words).toEqual(
      expect.arrayContaining([
        "--name=web.k8s.local",
        "--state=s3://state",
        "--cloud=elemento",
        "--zones=europe",
        "--kubernetes-version=1.34.0",
        "--network-cidr=192.168.100.0/24",
        "--networking=cilium",
        "--node-count=2",
        "--node-size=neon",
        "--node-volume-size=64",
        "--control-plane-size=argon",
        "--control-plane-volume-size=64",
        "--ssh-public-key=id.pub",
        "--dry-run",
        "--output=yaml",
      ]),
    );
  });

  it("has the paths of kOps's own API in --set, and the topology of the subnets", () => {
    const { words } = line(shop);
    const own = "--set=cluster.spec.networking.";
    expect(words).toEqual(
      expect.arrayContaining([
        `${own}nonMasqueradeCIDR=172.20.0.0/16`,
        `${own}serviceClusterIPRange=172.20.0.0/16`,
        "--zones=eu-west-1a,eu-west-1b,eu-west-1c",
        "--topology=private",
        "--api-loadbalancer-type=internal",
      ]),
    );
    expect(line({ ...shop, endpoint: "public" }).words).toContain("--topology=public");
  });

  it("has an image for the nodes if their architecture is another one", () => {
    const nodePools = [{ name: "arm", cpu: 4, memory: 16 }];
    const { words } = line({ ...shop, nodePools, poolInstanceTypes: { arm: "m6g.xlarge" } });
    expect(words.filter((word) => word.includes("image=")).map((word) => /amd64|arm64/.exec(word)?.[0])).toEqual([
      "amd64",
      "arm64",
    ]);
    expect(line(shop).words.filter((word) => word.startsWith("--node-image"))).toEqual([]);
  });

  it("quotes tags as kOps reads them, and lists those with a comma, which it cannot read", () => {
    const tags = { team: "a b", dn: "cn=x", said: 'a "b"', list: "a,b", empty: "" };
    const { words, notes } = line({ ...shop, tags });
    expect(words).toContain('--cloud-labels=team=a b,dn="cn=x",said="a ""b""",empty=""');
    expect(notes[0]).toMatchObject({ code: "KOPS_COMMAND", path: "Cluster/web.k8s.local spec.cloudLabels.list" });
  });

  it("lists fields without a flag: further pools, labels, a pool that scales", () => {
    expect(line(shop).notes.map(({ code, path }) => [code, path])).toEqual([
      ["KOPS_COMMAND", "InstanceGroup/nodes-web-eu-west-1 spec.maxSize"],
      ["KOPS_COMMAND", "InstanceGroup/nodes-web-eu-west-1 spec.nodeLabels"],
      ["KOPS_COMMAND", "InstanceGroup/nodes-train-eu-west-1"],
    ]);
  });
});
