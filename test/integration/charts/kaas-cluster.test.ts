import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { crdValidator } from "../../support/crd-validator.ts";
import { CHART, renderCluster } from "../../support/charts/render-cluster.ts";
import type { Manifest } from "../../support/charts/render-vm.ts";

const FULL_CRDS = fileURLToPath(new URL("../../../../shared/crds", import.meta.url));
const OWN_CRDS = [
  fileURLToPath(new URL("../../../src/local/crds", import.meta.url)),
  fileURLToPath(new URL("../../../charts/landfall/definitions", import.meta.url)),
];

const files = (await readdir(join(CHART, "ci"))).filter((file) => file.endsWith("-values.yaml")).sort();
const values = new Map<string, Record<string, unknown>>();
const cases = new Map<string, Manifest[]>();
for (const file of files) {
  const name = file.replace(/-values\.yaml$/, "");
  const read = parse(await readFile(join(CHART, "ci", file), "utf8")) as Record<string, unknown>;
  values.set(name, read);
  cases.set(name, await renderCluster(read));
}

/** How many nodes a pool of Google Cloud is to have. */
const nodesOf = ({ nodeCount, autoscaling }: Manifest["spec"]): Manifest["spec"] =>
  autoscaling === undefined ? { nodeCount } : { autoscaling };
const all = (name: string, kind: string): Manifest[] =>
  (cases.get(name) ?? []).filter((manifest) => manifest.kind === kind);

function find(name: string, kind: string): Manifest["spec"] {
  const [found] = all(name, kind);
  expect(found, `${kind} in ${name}`).toBeDefined();
  return found?.spec ?? {};
}

const kinds = (name: string): string[] => (cases.get(name) ?? []).map(({ kind }) => kind).sort();

describe("every case", () => {
  const own = crdValidator(OWN_CRDS);
  it.each([...cases])("%s fits the project's own CRDs", (_name, manifests) => {
    expect(manifests.flatMap((manifest) => own.check(manifest))).toEqual([]);
  });

  // The full CRDs lie beside the project only in its workshop; without them the own ones above still hold.
  describe("the operators' own CRDs, of ../shared/crds", () => {
    if (!existsSync(FULL_CRDS)) {
      it("are compared", ({ skip }) => skip("../shared/crds is absent"));
      return;
    }
    const full = crdValidator(["aso", "ack", "kcc"].map((family) => join(FULL_CRDS, family)));
    it.each([...cases].filter(([name]) => !name.startsWith("elemento")))(
      "%s fits the operators' full CRDs",
      (_name, manifests) => {
        expect(manifests.flatMap((manifest) => full.check(manifest))).toEqual([]);
      },
    );
  });

  // Krateo reads the namespace of status.managed[].path from the manifest.
  it.each([...cases])("%s names the release's namespace on every resource", (_name, manifests) => {
    expect(manifests.length).toBeGreaterThan(0);
    expect(manifests.map(({ metadata }) => metadata.namespace)).toEqual(manifests.map(() => "demo"));
  });

  it.each([...cases])("%s names its composition on every resource", (_name, manifests) => {
    expect(manifests.map(({ metadata }) => metadata.labels?.["landfall.dev/composition"])).toEqual(
      manifests.map(() => "web"),
    );
  });

  it("renders the same bytes twice", async () => {
    expect(await renderCluster(values.get("aws-full") ?? {})).toEqual(cases.get("aws-full"));
  });
});

describe("Azure", () => {
  it("creates the system pool with the cluster, and has a resource for each pool", () => {
    expect(kinds("azure-full")).toEqual([
      "ManagedCluster",
      "ManagedClustersAgentPool",
      "ManagedClustersAgentPool",
      "ManagedClustersAgentPool",
      "ResourceGroup",
      "VirtualNetwork",
      "VirtualNetworksSubnet",
    ]);
    const system = { mode: "System", count: 3, vmSize: "Standard_D2s_v5", availabilityZones: ["1", "2", "3"] };
    expect(find("azure-full", "ManagedCluster")["agentPoolProfiles"]).toMatchObject([{ name: "system", ...system }]);
    const pools = all("azure-full", "ManagedClustersAgentPool");
    expect(pools[0]?.spec).toMatchObject({ azureName: "system", orchestratorVersion: "1.35", ...system });
    expect(pools[1]?.spec).toMatchObject({
      azureName: "batch",
      mode: "User",
      enableAutoScaling: true,
      // AKS refuses a new pool that has no number of nodes to begin with.
      count: 2,
      minCount: 2,
      maxCount: 12,
      osDiskSizeGB: 200,
      nodeLabels: { tier: "batch" },
      nodeTaints: ["batch=yes:NoSchedule", "slow=:PreferNoSchedule"],
      orchestratorVersion: "1.35",
    });
  });

  it("begins the first pool with a node, and waits until AKS scales what scales", () => {
    const [[cluster], [system, batch]] = [
      all("azure-scaled", "ManagedCluster"),
      all("azure-scaled", "ManagedClustersAgentPool"),
    ];
    expect(cluster?.spec["agentPoolProfiles"]).toMatchObject([{ count: 1, minCount: 1, maxCount: 3 }]);
    expect(system?.spec).toMatchObject({ count: 1, minCount: 1, maxCount: 3 });
    expect(batch?.spec).toMatchObject({ count: 0, minCount: 0, maxCount: 4 });
    expect([cluster, system, batch].map((one) => one?.metadata.annotations?.["landfall.dev/awaits"])).toEqual([
      undefined,
      "containerservice.azure.com/ManagedClustersAgentPool/web-system:status.enableAutoScaling!=false",
      "containerservice.azure.com/ManagedClustersAgentPool/web-batch:status.enableAutoScaling!=false",
    ]);
  });

  // AKS takes versions in the resource of a cluster only of all pools at once.
  it("names no version in the cluster's resource, and leaves the system pool to the deletion of the cluster", () => {
    const [profile] = find("azure-full", "ManagedCluster")["agentPoolProfiles"] as Record<string, unknown>[];
    expect(profile).not.toHaveProperty("orchestratorVersion");
    const policies = all("azure-scaled", "ManagedClustersAgentPool").map(
      ({ metadata }) => metadata.annotations?.["serviceoperator.azure.com/reconcile-policy"],
    );
    expect(policies).toEqual(["detach-on-delete", "manage"]);
  });

  it.each([
    ["web", undefined],
    ["a-name-of-21-character", undefined],
    ["production-payments-platform-eu", /^MC_production-payments-platfor-[0-9a-f]{8}$/],
  ])("names the nodes' resource group only where AKS's own name has over 80 characters: %s", async (name, expected) => {
    const global = { compositionName: name, compositionId: "u" };
    const manifests = await renderCluster({
      ...values.get("azure-minimal"),
      schedulingLocation: "swedencentral",
      global,
    });
    const { nodeResourceGroup } = manifests.find(({ kind }) => kind === "ManagedCluster")?.spec ?? {};
    expect(nodeResourceGroup).toEqual(expected === undefined ? undefined : (expect.stringMatching(expected) as string));
  });

  it("puts the DNS service into the services' network, and makes the endpoint private", () => {
    expect(find("azure-full", "ManagedCluster")).toMatchObject({
      networkProfile: { podCidr: "10.128.0.0/14", serviceCidr: "172.28.0.0/20", dnsServiceIP: "172.28.0.10" },
      apiServerAccessProfile: { enablePrivateCluster: true },
      sku: { tier: "Standard" },
    });
    expect(find("azure-minimal", "ManagedCluster")["apiServerAccessProfile"]).toBeUndefined();
    expect(find("azure-minimal", "ManagedCluster")).toMatchObject({ sku: { tier: "Free" } });
  });

  it("lets the operator write the kubeconfig into the common Secret", () => {
    expect(find("azure-minimal", "ManagedCluster")["operatorSpec"]).toEqual({
      secrets: { userCredentials: { name: "web-kubeconfig", key: "kubeconfig" } },
    });
  });
});

describe("AWS", () => {
  it("leaves its tag Name out where the user has a tag of that name in any case, which IAM takes for the same", async () => {
    const manifests = await renderCluster({ ...values.get("aws-minimal"), tags: { name: "foo" } });
    const roles = manifests.filter(({ kind }) => kind === "Role");
    expect(roles.map(({ spec }) => spec["tags"])).toEqual(roles.map(() => [{ key: "name", value: "foo" }]));
    expect(roles.length).toBeGreaterThan(0);
  });

  it("creates a network with a subnet per zone, two roles, the cluster and a node group per pool", () => {
    expect(kinds("aws-minimal")).toEqual([
      "Cluster",
      "InternetGateway",
      "Nodegroup",
      "Role",
      "Role",
      "RouteTable",
      "Subnet",
      "Subnet",
      "VPC",
    ]);
  });

  it("divides the nodes' network into quarters", () => {
    const subnets = all("aws-full", "Subnet").map(({ spec }) => [spec["availabilityZone"], spec["cidrBlock"]]);
    expect(subnets).toEqual([
      ["eu-west-1a", "10.20.0.0/18"],
      ["eu-west-1b", "10.20.64.0/18"],
      ["eu-west-1c", "10.20.128.0/18"],
    ]);
  });

  it("gives cluster and nodes the roles that EKS requires", () => {
    const [cluster, nodes] = all("aws-minimal", "Role").map(({ spec }) => spec);
    expect(JSON.parse(String(cluster?.["assumeRolePolicyDocument"]))).toMatchObject({
      Statement: [{ Principal: { Service: "eks.amazonaws.com" }, Action: "sts:AssumeRole" }],
    });
    expect(cluster?.["policies"]).toEqual(["arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"]);
    expect(nodes?.["policies"]).toHaveLength(3);
  });

  it("scales a pool between its limits, taints it, and gives one with a GPU its image", () => {
    const [, batch, train] = all("aws-full", "Nodegroup");
    expect(batch?.spec).toMatchObject({
      name: "batch",
      scalingConfig: { minSize: 0, maxSize: 12, desiredSize: 0 },
      instanceTypes: ["r7i.2xlarge"],
      diskSize: 200,
      taints: [
        { key: "batch", value: "yes", effect: "NO_SCHEDULE" },
        { key: "slow", effect: "PREFER_NO_SCHEDULE" },
      ],
    });
    expect(batch?.metadata.annotations?.["eks.services.k8s.aws/desired-size-managed-by"]).toBe("external-autoscaler");
    expect(train?.spec).toMatchObject({ amiType: "AL2023_x86_64_NVIDIA", instanceTypes: ["g4dn.xlarge"] });
  });

  it("makes the endpoint public or private, and waits for the kubeconfig's inputs", () => {
    expect(find("aws-full", "Cluster")).toMatchObject({
      resourcesVPCConfig: { endpointPublicAccess: false, endpointPrivateAccess: true },
      kubernetesNetworkConfig: { serviceIPv4CIDR: "172.30.0.0/20" },
    });
    expect(find("aws-minimal", "Cluster")).toMatchObject({ resourcesVPCConfig: { endpointPublicAccess: false } });
    expect(all("aws-minimal", "Cluster")[0]?.metadata.annotations?.["landfall.dev/awaits"]).toBe(
      "eks.services.k8s.aws/Cluster/web:status.certificateAuthority.data",
    );
  });
});

describe("Google Cloud", () => {
  it("creates a network with ranges for pods and services, the cluster without its default pool, and its own pools", () => {
    expect(kinds("gcp-full")).toEqual([
      "ComputeNetwork",
      "ComputeSubnetwork",
      "ContainerCluster",
      "ContainerNodePool",
      "ContainerNodePool",
      "ContainerNodePool",
    ]);
    expect(find("gcp-full", "ComputeSubnetwork")).toMatchObject({
      ipCidrRange: "10.20.0.0/16",
      secondaryIpRange: [
        { rangeName: "pods", ipCidrRange: "10.128.0.0/14" },
        { rangeName: "services", ipCidrRange: "172.30.0.0/20" },
      ],
    });
    expect(
      all("gcp-full", "ContainerCluster")[0]?.metadata.annotations?.["cnrm.cloud.google.com/remove-default-node-pool"],
    ).toBe("true");
  });

  it("runs in one zone, or highly available in the region with its limits as totals and its counts in each zone", () => {
    expect(find("gcp-zonal", "ContainerCluster")["location"]).toBe("europe-west1-b");
    expect(all("gcp-zonal", "ContainerNodePool").map(({ spec }) => spec["nodeCount"] ?? spec["autoscaling"])).toEqual([
      3,
      { minNodeCount: 1, maxNodeCount: 12 },
      1,
    ]);
    expect(all("gcp-zonal", "ContainerNodePool").map(({ spec }) => spec["initialNodeCount"])).toEqual([
      ...[undefined, 1, undefined],
    ]);
    expect(find("gcp-full", "ContainerCluster")["location"]).toBe("europe-west1");
    const total = (least: number, most: number) => ({
      autoscaling: { totalMinNodeCount: least, totalMaxNodeCount: most, locationPolicy: "BALANCED" },
    });
    // GKE has the same number in each zone, so one node in three zones is not a count.
    expect(all("gcp-full", "ContainerNodePool").map(({ spec }) => nodesOf(spec))).toEqual([
      { nodeCount: 1 },
      total(0, 12),
      total(1, 1),
    ]);
  });

  it("keeps the nodes of a region's cluster in the zones with their type", () => {
    expect(all("gcp-full", "ContainerNodePool").map(({ spec }) => spec["nodeLocations"])).toEqual([
      ...[undefined, undefined, ["europe-west1-b", "europe-west1-c"]],
    ]);
    expect(all("gcp-zonal", "ContainerNodePool").every(({ spec }) => spec["nodeLocations"] === undefined)).toBe(true);
  });

  // Google takes no new cluster without a channel, and no pool without auto-upgrades in one.
  it.each([
    ["gcp-minimal", "REGULAR"],
    ["gcp-full", "STABLE"],
  ])("puts a new cluster of %s into the channel %s, in which GKE upgrades the nodes", (name, channel) => {
    expect(find(name, "ContainerCluster")["releaseChannel"]).toEqual({ channel });
    const pools = all(name, "ContainerNodePool").map(({ spec }) => spec);
    expect(pools.map(({ management }) => management)).toEqual(
      pools.map(() => ({ autoRepair: true, autoUpgrade: true })),
    );
    expect(pools.filter((spec) => "version" in spec)).toEqual([]);
    expect(pools.length).toBeGreaterThan(0);
  });

  it("names the accelerators of a machine type", () => {
    expect(all("gcp-full", "ContainerNodePool")[2]?.spec["nodeConfig"]).toMatchObject({
      machineType: "g2-standard-4",
      guestAccelerator: [{ type: "nvidia-l4", count: 1, gpuDriverInstallationConfig: { gpuDriverVersion: "DEFAULT" } }],
    });
  });
});

describe("Elemento", () => {
  it("requests each pool in its flavour's size", () => {
    expect(find("elemento-full", "ElementoKaas")).toMatchObject({
      provider: "ovh",
      region: "fr-gravelines",
      kubernetesVersion: "1.34",
      controlPlaneHA: true,
      deletionPolicy: "retain",
    });
    expect(JSON.stringify(find("elemento-full", "ElementoKaas")["nodePools"])).toContain('"minNodes":1,"maxNodes":4');
  });
});

describe("values that would be ignored are rejected", () => {
  const pool = { name: "a", cpu: 1, memory: 1 };
  it.each([
    ["azure-minimal", { kubernetesVersion: undefined }, "kubernetesVersion is missing"],
    ["azure-minimal", { poolInstanceTypes: { other: "x" } }, "names no type for the pool system"],
    ["azure-minimal", { nodePools: [pool, pool] }, "the name a is used twice"],
    ["azure-minimal", { nodePools: [{ ...pool, count: 1, max: 2 }] }, "a count as well as min or max"],
    ["azure-minimal", { nodePools: [{ ...pool, min: 1 }] }, "a min and no max"],
    ["azure-minimal", { nodePools: [{ ...pool, min: 3, max: 2 }] }, "max 2 of the pool a is below min 3"],
    ["azure-minimal", { nodePools: [{ ...pool, count: 0 }] }, "needs a node"],
    [
      "azure-minimal",
      { nodePools: [{ ...pool, taints: [{ key: "dedicated", effect: "NoSchedule" }] }] },
      "the first pool, which cannot have the taint dedicated with the effect NoSchedule",
    ],
    ["azure-minimal", { nodePools: [{ ...pool, spot: true }] }, "spot"],
    ["aws-minimal", { zones: ["eu-west-1a"] }, "two zones at least"],
    ["aws-minimal", { network: { podCidr: "10.64.0.0/14" } }, "addresses of the nodes' network"],
    ["gcp-minimal", { zones: undefined }, "stands in one zone"],
    ["gcp-full", { zones: ["europe-west1-b"] }, "in the whole region"],
    ["elemento-minimal", { zones: ["a"] }, "no availability zones"],
    ["elemento-minimal", { endpoint: "private" }, "one kind of endpoint"],
    ["elemento-minimal", { network: { podCidr: "10.64.0.0/14" } }, "only nodeCidr"],
    ["elemento-minimal", { nodePools: [{ ...pool, name: "workers", labels: { a: "b" } }] }, "labels or taints"],
    ["elemento-minimal", { nodePools: [{ ...pool, name: "workers", gpu: 1 }] }, "wants a gpu"],
    ["elemento-minimal", { poolInstanceTypes: { workers: "m7i.large" } }, "is not an Elemento flavour"],
  ])("%s with %j", async (name, change, text) => {
    // Every pool that a case makes has a type, so that nothing but the case's own trouble is left.
    const typed = { poolInstanceTypes: { ...(values.get(name)?.["poolInstanceTypes"] as object), a: "x" } };
    const wanted = Object.fromEntries(
      Object.entries({ ...values.get(name), ...typed, ...change }).filter(([, value]) => value !== undefined),
    );
    await expect(renderCluster(wanted)).rejects.toMatchObject({
      code: "REL_RENDER",
      message: expect.stringContaining(text) as string,
    });
  });
});
