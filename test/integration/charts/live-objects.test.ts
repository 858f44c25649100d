import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Live, openLiveRenders, ofKind as of, valuesOf } from "../../support/charts/live-objects.ts";
import { CHART as CLUSTER } from "../../support/charts/render-cluster.ts";
import { CHART as MACHINE } from "../../support/charts/render-vm.ts";

type Values = Record<string, unknown>;

let renders: Awaited<ReturnType<typeof openLiveRenders>>;
beforeAll(async () => {
  renders = await openLiveRenders();
});
afterAll(() => renders.close());

describe("the version of a pool of AKS", () => {
  const AKS = "containerservice.azure.com/v1api20240901";
  const control = (currentKubernetesVersion: string): Live => ({
    ...{ apiVersion: AKS, kind: "ManagedCluster", metadata: { name: "web" } },
    spec: { kubernetesVersion: "1.35", agentPoolProfiles: [{ name: "system", mode: "System" }] },
    status: { currentKubernetesVersion, agentPoolProfiles: [{ name: "system", count: 1 }] },
  });
  const pool = (name: string, orchestratorVersion: string): Live => ({
    ...{ apiVersion: AKS, kind: "ManagedClustersAgentPool", metadata: { name: `web-${name}` } },
    ...{ spec: { orchestratorVersion }, status: { count: 1 } },
  });
  const versions = async (live: readonly Live[]) => {
    const values = {
      ...(await valuesOf(CLUSTER, "azure-minimal")),
      kubernetesVersion: "1.35",
      nodePools: ["system", "more"].map((name) => ({ name, cpu: 2, memory: 8 })),
      poolInstanceTypes: { system: "Standard_D2s_v5", more: "Standard_D2s_v5" },
    };
    const manifests = await renders.render(CLUSTER, values, live);
    return of(manifests, "ManagedClustersAgentPool").map(({ spec }) => spec["orchestratorVersion"]);
  };

  it("is the whole one of the control plane for a pool that is new to the cluster, which keeps it", async () => {
    expect(await versions([])).toEqual(["1.35", "1.35"]);
    expect(await versions([control("1.35.2"), pool("system", "1.35")])).toEqual(["1.35", "1.35.2"]);
    const later = [control("1.35.4"), pool("system", "1.35"), pool("more", "1.35.2")];
    expect(await versions(later)).toEqual(["1.35", "1.35.2"]);
  });

  it("is the one before while the control plane is upgraded, and the wanted one after that", async () => {
    expect(await versions([control("1.34.6"), pool("system", "1.34")])).toEqual(["1.34", "1.34.6"]);
    const upgraded = [control("1.35.2"), pool("system", "1.34"), pool("more", "1.34.6")];
    expect(await versions(upgraded)).toEqual(["1.35", "1.35"]);
  });

  it("is the wanted one of a pool without a resource of its own, which an earlier chart made", async () => {
    expect(await versions([control("1.35.2")])).toEqual(["1.35", "1.35.2"]);
  });
});

describe("an upgrade that AKS or GKE refused and its user takes back", () => {
  it("renders the version that runs, for the control plane and its pools", async () => {
    const AKS = "containerservice.azure.com/v1api20240901";
    const control: Live = {
      ...{ apiVersion: AKS, kind: "ManagedCluster", metadata: { name: "web" }, spec: { kubernetesVersion: "1.35" } },
      status: { currentKubernetesVersion: "1.34.2", agentPoolProfiles: [{ name: "system", count: 1 }] },
    };
    const pool: Live = {
      ...{ apiVersion: AKS, kind: "ManagedClustersAgentPool", metadata: { name: "web-system" } },
      ...{ spec: { orchestratorVersion: "1.34" }, status: { count: 1 } },
    };
    const system = { nodePools: [{ name: "system", cpu: 2, memory: 8 }], kubernetesVersion: "1.34" };
    const azure = { ...(await valuesOf(CLUSTER, "azure-minimal")), poolInstanceTypes: { system: "Standard_D2s_v5" } };
    const manifests = await renders.render(CLUSTER, { ...azure, ...system }, [control, pool]);
    const [cluster] = of(manifests, "ManagedCluster");
    expect(cluster?.spec["kubernetesVersion"]).toBe("1.34");
    expect(cluster?.metadata.annotations?.["landfall.dev/awaits"]).toBeUndefined();
    expect(of(manifests, "ManagedClustersAgentPool").map(({ spec }) => spec["orchestratorVersion"])).toEqual(["1.34"]);
    const GKE = "container.cnrm.cloud.google.com/v1beta1";
    const gke: Live = {
      ...{ apiVersion: GKE, kind: "ContainerCluster", metadata: { name: "web" } },
      ...{ status: { masterVersion: "1.34.5-gke.1" }, spec: { releaseChannel: { channel: "STABLE" } } },
    };
    const gcp = { ...(await valuesOf(CLUSTER, "gcp-minimal")), poolInstanceTypes: { system: "e2-standard-2" } };
    const [back] = of(await renders.render(CLUSTER, { ...gcp, ...system }, [gke]), "ContainerCluster");
    expect(back?.spec["minMasterVersion"]).toBe("1.34");
    expect(back?.metadata.annotations?.["landfall.dev/awaits"]).not.toContain("masterVersion");
  });
});

describe("an upgrade of a GKE cluster", () => {
  const GKE = "container.cnrm.cloud.google.com/v1beta1";
  const cluster = (masterVersion: string, channel: string): Live => ({
    ...{ apiVersion: GKE, kind: "ContainerCluster", metadata: { name: "web" }, status: { masterVersion } },
    spec: { releaseChannel: { channel } },
  });
  const pool: Live = {
    ...{ apiVersion: GKE, kind: "ContainerNodePool", metadata: { name: "web-system" } },
    status: { observedState: { version: "1.34.5-gke.1" } },
  };

  it("without a channel gives its pools the new version once the control plane says that it has it", async () => {
    const values = { ...(await valuesOf(CLUSTER, "gcp-minimal")), kubernetesVersion: "1.35" };
    const pools = {
      nodePools: [{ name: "system", cpu: 2, memory: 8 }],
      poolInstanceTypes: { system: "e2-standard-2" },
    };
    const versions = async (masterVersion: string, channel = "UNSPECIFIED") => {
      const live = [cluster(masterVersion, channel), pool];
      const manifests = await renders.render(CLUSTER, { ...values, ...pools }, live);
      return [
        ...of(manifests, "ContainerCluster").map(({ spec }) => spec["minMasterVersion"]),
        ...of(manifests, "ContainerNodePool").map(({ spec }) => spec["version"]),
      ];
    };
    expect(await versions("1.34.5-gke.1")).toEqual(["1.35", "1.34.5-gke.1"]);
    expect(await versions("1.35.2-gke.7")).toEqual(["1.35", "1.35.2-gke.7"]);
    // In a channel, GKE upgrades the nodes.
    expect(await versions("1.34.5-gke.1", "REGULAR")).toEqual(["1.35", undefined]);
    expect(await versions("1.35.2-gke.7", "REGULAR")).toEqual(["1.35", undefined]);
  });
});

describe("the release channel of a GKE cluster", () => {
  const GKE = "container.cnrm.cloud.google.com/v1beta1";
  const BEFORE = "2026-11-23T08:00:00Z";
  const AFTER = "2026-11-23T09:00:00Z";
  const cluster = (channel: string, status: Values = { masterVersion: "1.35.2-gke.7" }): Live => ({
    ...{ apiVersion: GKE, kind: "ContainerCluster", metadata: { name: "web" }, status },
    spec: { releaseChannel: { channel } },
  });
  /** A pool that its operator has seen up to this generation. */
  const pool = (autoUpgrade: boolean, since: string, [generation, observedGeneration] = [2, 2]): Live => ({
    ...{ apiVersion: GKE, kind: "ContainerNodePool", metadata: { name: "web-system", generation } },
    spec: { management: { autoRepair: true, autoUpgrade } },
    status: {
      ...{ observedGeneration, instanceGroupUrls: ["a"], observedState: { version: "1.35.2-gke.7" } },
      conditions: [{ type: "Ready", status: since === "" ? "False" : "True", lastTransitionTime: since || BEFORE }],
    },
  });

  async function rendered(asked: Values, live: readonly Live[]) {
    const pools = {
      nodePools: [{ name: "system", cpu: 2, memory: 8 }],
      poolInstanceTypes: { system: "e2-standard-2" },
    };
    const values = { ...(await valuesOf(CLUSTER, "gcp-minimal")), ...pools, ...asked };
    const manifests = await renders.render(CLUSTER, values, live);
    const [control, nodes] = [of(manifests, "ContainerCluster")[0], of(manifests, "ContainerNodePool")[0]];
    const awaits = control?.metadata.annotations?.["landfall.dev/awaits"]?.split(", ").slice(1);
    return {
      channel: (control?.spec["releaseChannel"] as Values | undefined)?.["channel"],
      upgrades: (nodes?.spec["management"] as Values | undefined)?.["autoUpgrade"],
      version: nodes?.spec["version"] ?? null,
      awaits,
    };
  }

  it("of one that an earlier chart made stays none, with the version of its pools", async () => {
    expect(await rendered({}, [cluster("UNSPECIFIED"), pool(false, BEFORE)])).toEqual({
      ...{ channel: "UNSPECIFIED", upgrades: false, version: "1.35.2-gke.7", awaits: [] },
    });
  });

  it("is Google's default for one that Google has refused without one", async () => {
    expect(await rendered({}, [cluster("UNSPECIFIED", {})])).toMatchObject({ channel: "REGULAR", upgrades: true });
  });

  it("stays where the user no longer names it", async () => {
    expect(await rendered({}, [cluster("RAPID"), pool(true, BEFORE)])).toMatchObject({ channel: "RAPID", awaits: [] });
  });

  it("is entered once the operator has given all pools auto-upgrades", async () => {
    const asked = { releaseChannel: "stable" };
    const waits = (not: string) => [
      `container.cnrm.cloud.google.com/ContainerNodePool/web-system:status.conditions[Ready]${not}`,
    ];
    const first = { channel: "UNSPECIFIED", upgrades: true, version: null };
    const render = (live: Live) => rendered(asked, [cluster("UNSPECIFIED"), live]);
    expect(await render(pool(false, BEFORE))).toEqual({ ...first, awaits: waits(`!=${BEFORE}`) });
    // The operator has not seen the change, or is at it.
    expect(await render(pool(true, BEFORE, [3, 2]))).toEqual({ ...first, awaits: waits(`!=${BEFORE}`) });
    expect(await render(pool(true, "", [3, 3]))).toEqual({ ...first, awaits: waits("") });
    expect(await render(pool(true, AFTER, [3, 3]))).toEqual({ ...first, channel: "STABLE", awaits: [] });
  });

  it("waits for no pool that Google has not made", async () => {
    const planned = { ...pool(false, BEFORE), status: {} };
    expect(await rendered({ releaseChannel: "rapid" }, [cluster("UNSPECIFIED"), planned])).toMatchObject({
      ...{ channel: "RAPID", awaits: [] },
    });
  });
});

describe("the zones of a pool of a GKE cluster", () => {
  const GKE = "container.cnrm.cloud.google.com/v1beta1";

  // GKE would move the nodes.
  it.each<[string, Values, Values, [locations: unknown, nodeCount: unknown]]>([
    [
      "those with its type, before it is made",
      { nodeLocations: ["europe-west1-d"] },
      {},
      [["europe-west1-b", "europe-west1-c"], 2],
    ],
    ["its own", { nodeLocations: ["europe-west1-d"] }, { instanceGroupUrls: ["a"] }, [["europe-west1-d"], 4]],
    ["those of its cluster", {}, { instanceGroupUrls: ["a", "b", "c"] }, [undefined, undefined]],
  ])("are %s", async (_name, spec, status, expected) => {
    const { zones: _zones, ...minimal } = await valuesOf(CLUSTER, "gcp-minimal");
    const values = {
      ...{ ...minimal, schedulingLocation: "europe-west1", highAvailability: true },
      ...{
        nodePools: [{ name: "system", count: 4, cpu: 4, memory: 16 }],
        poolInstanceTypes: { system: "g2-standard-4" },
      },
    };
    const live = { apiVersion: GKE, kind: "ContainerNodePool", metadata: { name: "web-system" }, spec, status };
    const [found] = of(await renders.render(CLUSTER, values, [live]), "ContainerNodePool");
    expect([found?.spec["nodeLocations"], found?.spec["nodeCount"]]).toEqual(expected);
  });
});

describe("the nodes of a pool of GKE, whose autoscaler enforces no limit", () => {
  const GKE = "container.cnrm.cloud.google.com/v1beta1";
  const NUMBERS = ["nodeCount", "initialNodeCount", "autoscaling"];
  const limits = (minNodeCount: number, maxNodeCount: number) => ({ autoscaling: { minNodeCount, maxNodeCount } });
  const totals = (totalMinNodeCount: number, totalMaxNodeCount: number) => ({
    autoscaling: { totalMinNodeCount, totalMaxNodeCount, locationPolicy: "BALANCED" },
  });

  async function numbers(nodes: Values, highAvailability: boolean, found: Values | null = null): Promise<Values> {
    const { zones, ...minimal } = await valuesOf(CLUSTER, "gcp-minimal");
    const values = {
      ...minimal,
      ...(highAvailability ? { highAvailability } : { zones }),
      nodePools: [{ name: "system", cpu: 2, memory: 8, ...nodes }],
    };
    const live: Live[] =
      found === null
        ? []
        : [{ apiVersion: GKE, kind: "ContainerNodePool", metadata: { name: "web-system" }, spec: found }];
    const [pool] = of(await renders.render(CLUSTER, values, live), "ContainerNodePool");
    return Object.fromEntries(Object.entries(pool?.spec ?? {}).filter(([field]) => NUMBERS.includes(field)));
  }

  it.each<[string, [Values, boolean], Values]>([
    ["a count", [{ count: 3 }, false], { nodeCount: 3 }],
    ["limits, which begin with the least", [{ min: 2, max: 5 }, false], { ...limits(2, 5), initialNodeCount: 2 }],
    ["limits from 0", [{ min: 0, max: 5 }, false], limits(0, 5)],
    ["a count in three zones", [{ count: 6 }, true], { nodeCount: 2 }],
    ["no node in three zones", [{ count: 0 }, true], { nodeCount: 0 }],
    ["limits in three zones", [{ min: 4, max: 9 }, true], { ...totals(4, 9), initialNodeCount: 2 }],
    ["limits closer than the zones", [{ min: 4, max: 5 }, true], { ...totals(4, 5), initialNodeCount: 1 }],
    ["a count that three zones do not divide", [{ count: 4 }, true], { ...totals(4, 4), initialNodeCount: 1 }],
    ["fewer nodes than zones", [{ count: 1 }, true], totals(1, 1)],
  ])("%s", async (_name, asked, expected) => {
    expect(await numbers(...asked)).toEqual(expected);
  });

  // Config Connector refuses another first number, and leaves autoscaling on.
  it.each<[string, [Values, boolean, Values], Values]>([
    [
      "another minimum",
      [{ min: 3, max: 5 }, false, { ...limits(2, 5), initialNodeCount: 2 }],
      { ...limits(3, 5), initialNodeCount: 2 },
    ],
    ["limits after a count", [{ min: 3, max: 5 }, false, { nodeCount: 2 }], limits(3, 5)],
    ["another count", [{ count: 9 }, true, { nodeCount: 2 }], { nodeCount: 3 }],
    ["a count of a pool that an earlier chart let scale", [{ count: 9 }, true, totals(6, 6)], totals(9, 9)],
  ])("of a pool that is there: %s", async (_name, asked, expected) => {
    expect(await numbers(...asked)).toEqual(expected);
  });
});

describe("pools of an AKS cluster that begin to scale", () => {
  const AKS = "containerservice.azure.com/v1api20240901";
  const live = (count: number, enableAutoScaling: boolean): Live[] => [
    {
      ...{ apiVersion: AKS, kind: "ManagedCluster", metadata: { name: "web" } },
      status: { agentPoolProfiles: [{ name: "system", count, enableAutoScaling }] },
    },
    {
      ...{ apiVersion: AKS, kind: "ManagedClustersAgentPool", metadata: { name: "web-more" } },
      status: { count, enableAutoScaling },
    },
  ];

  /** `count` of the first pool and of another one. */
  async function counts([min, max]: readonly [number, number], found: readonly Live[]): Promise<unknown[]> {
    const system = { name: "system", min, max, cpu: 2, memory: 8 };
    const values = {
      ...(await valuesOf(CLUSTER, "azure-minimal")),
      nodePools: [system, { ...system, name: "more" }],
      poolInstanceTypes: { system: "Standard_D2as_v5", more: "Standard_D2as_v5" },
    };
    const manifests = await renders.render(CLUSTER, values, found);
    const [control] = of(manifests, "ManagedCluster");
    // A new cluster is made with its first pool. From then on, each pool is changed on its own.
    const profiles = control?.spec["agentPoolProfiles"] as Values[] | undefined;
    expect(profiles?.map(({ name }) => name)).toEqual(found.length === 0 ? ["system"] : undefined);
    return of(manifests, "ManagedClustersAgentPool").map(({ spec }) => spec["count"]);
  }

  // AKS refuses a number outside of the limits, for good.
  it.each<[string, [number, number], number, number]>([
    ["keep the nodes that they have", [1, 3], 2, 2],
    ["lose those above their limits", [1, 3], 5, 3],
    ["get those that they lack", [2, 4], 1, 2],
  ])("%s: %j, %d", async (_name, limits, has, expected) => {
    expect(await counts(limits, live(has, false))).toEqual([expected, expected]);
    // From then on the autoscaler has the number.
    expect(await counts(limits, live(has, true))).toEqual([undefined, undefined]);
  });

  it("counts the first pool on its own once it has a resource of its own", async () => {
    const [cluster, more] = live(2, true) as [Live, Live];
    const own = { ...more, metadata: { name: "web-system" }, status: { count: 3, enableAutoScaling: false } };
    expect(await counts([1, 4], [cluster, more, own])).toEqual([3, undefined]);
  });

  it("begin with the least, and with one in the first pool", async () => {
    expect(await counts([0, 3], [])).toEqual([1, 0]);
  });
});

// Operators leave at the provider what the spec no longer has, or read what they wrote into it.
describe("an empty value in place of one that is there", () => {
  it("is written where the last data disk of a machine on Google Cloud is removed", async () => {
    const { disks: _, ...values } = await valuesOf(MACHINE, "gcp-full");
    const attached = async (spec: Values) => {
      const live = { apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance" };
      const manifests = await renders.render(MACHINE, values, [{ ...live, metadata: { name: "web" }, spec }]);
      return of(manifests, "ComputeInstance").map((one) => one.spec["attachedDisk"]);
    };
    expect(await attached({ attachedDisk: [{ deviceName: "data" }] })).toEqual([[]]);
    expect(await attached({})).toEqual([undefined]);
  });

  it("is written where the last taint of a pool of GKE is removed", async () => {
    const values = await valuesOf(CLUSTER, "gcp-minimal");
    const taints = async (nodeConfig: Values) => {
      const live = { apiVersion: "container.cnrm.cloud.google.com/v1beta1", kind: "ContainerNodePool" };
      const pool: Live = { ...live, metadata: { name: "web-system" }, spec: { nodeConfig } };
      const manifests = await renders.render(CLUSTER, values, [pool]);
      return of(manifests, "ContainerNodePool").map(({ spec }) => (spec["nodeConfig"] as Values)["taint"]);
    };
    expect(await taints({ taint: [{ key: "a", value: "", effect: "NO_SCHEDULE" }] })).toEqual([[]]);
    expect(await taints({})).toEqual([undefined]);
  });

  it("is written for the release of an EKS pool, which ACK wrote", async () => {
    const values = await valuesOf(CLUSTER, "aws-minimal");
    const releases = async (spec: Values) => {
      const live = { apiVersion: "eks.services.k8s.aws/v1alpha1", kind: "Nodegroup", metadata: { name: "web-system" } };
      const manifests = await renders.render(CLUSTER, values, [{ ...live, spec: { version: "1.35", ...spec } }]);
      return of(manifests, "Nodegroup").map((one) => one.spec["releaseVersion"]);
    };
    expect(await releases({ releaseVersion: "1.35.2-20261101" })).toEqual([""]);
    expect(await releases({})).toEqual([undefined]);
  });
});

describe("an EC2 machine in an existing network", () => {
  const group: Live = {
    ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "SecurityGroup", metadata: { name: "web-sg" } },
    status: { id: "sg-own" },
  };

  async function groups(ports: unknown, live: readonly Live[]) {
    const { ports: _, ...values } = await valuesOf(MACHINE, "aws-existing-network");
    const manifests = await renders.render(MACHINE, { ...values, ...(ports === null ? {} : { ports }) }, live);
    const [machine] = of(manifests, "Instance");
    return {
      own: of(manifests, "SecurityGroup").map(({ spec }) => spec["ingressRules"]),
      used: machine?.spec["securityGroupIDs"],
    };
  }

  it("keeps the groups that it has until its own has an id", async () => {
    const web = { name: "web" };
    const live = {
      apiVersion: group.apiVersion,
      kind: "Instance",
      metadata: web,
      spec: { securityGroupIDs: ["sg-old"] },
    };
    const { network, ...values } = await valuesOf(MACHINE, "aws-existing-network");
    const { securityGroups: _, ...existing } = (network as { existing: Record<string, unknown> }).existing;
    const render = async (found: readonly Live[]) => {
      const own = { ...values, network: { existing }, ports: [{ port: 80 }] };
      return of(await renders.render(MACHINE, own, found), "Instance")[0]?.spec["securityGroupIDs"];
    };
    expect(await render([])).toBeUndefined();
    expect(await render([live])).toEqual(["sg-old"]);
    expect(await render([live, { ...group, status: {} }])).toEqual(["sg-old"]);
    expect(await render([live, group])).toEqual(["sg-own"]);
  });

  it("names its group as EC2 takes it", async () => {
    const values = await valuesOf(MACHINE, "aws-minimal");
    for (const [vmName, expected] of [
      ["sg-db", /^vm-sg-db-[0-9a-f]{8}$/],
      ["db", /^db-[0-9a-f]{8}$/],
    ] as const) {
      const [made] = of(await renders.render(MACHINE, { ...values, vmName }, []), "SecurityGroup");
      expect(made?.spec["name"]).toMatch(expected);
    }
  });

  it("keeps its own group when its last port is removed, without rules", async () => {
    expect(await groups(null, [])).toEqual({ own: [], used: ["sg-1"] });
    const rule = expect.objectContaining({ fromPort: 443, toPort: 443 }) as object;
    expect(await groups([{ port: 443 }], [group])).toEqual({ own: [[rule]], used: ["sg-1", "sg-own"] });
    expect(await groups(null, [group])).toEqual({ own: [[]], used: ["sg-1", "sg-own"] });
  });
});
