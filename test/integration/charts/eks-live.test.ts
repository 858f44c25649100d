import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Live, ofKind as of, openLiveRenders, valuesOf } from "../../support/charts/live-objects.ts";
import { CHART as CLUSTER } from "../../support/charts/render-cluster.ts";

// What the chart renders of an EKS cluster depends on what ACK says of it.

let renders: Awaited<ReturnType<typeof openLiveRenders>>;

beforeAll(async () => {
  renders = await openLiveRenders();
});

afterAll(() => renders.close());

describe("an upgrade of an EKS cluster", () => {
  const EKS = "eks.services.k8s.aws/v1alpha1";
  const BEFORE = "2026-11-23T08:00:00Z";
  const AFTER = "2026-11-23T09:00:00Z";
  const cluster = (version: string, since: string, annotations: Record<string, string> = {}): Live => ({
    ...{ apiVersion: EKS, kind: "Cluster", metadata: { name: "web", annotations }, spec: { version } },
    status: { conditions: [{ type: "ACK.ResourceSynced", status: "True", lastTransitionTime: since }] },
  });
  const pool: Live = {
    ...{ apiVersion: EKS, kind: "Nodegroup", metadata: { name: "web-system" } },
    spec: { version: "1.34", releaseVersion: "1.34.2-20261101" },
  };
  const MARK = "landfall.dev/upgrades";

  async function versions(live: readonly Live[], kubernetesVersion = "1.35") {
    const system = { name: "system", cpu: 2, memory: 8 };
    const values = {
      ...(await valuesOf(CLUSTER, "aws-minimal")),
      kubernetesVersion,
      nodePools: [system, { ...system, name: "more" }],
      poolInstanceTypes: { system: "m7i.large", more: "m7i.large" },
    };
    const manifests = await renders.render(CLUSTER, values, live);
    const [control] = of(manifests, "Cluster");
    return {
      control: control?.spec["version"],
      pools: of(manifests, "Nodegroup").map(({ spec }) => spec["version"]),
      mark: control?.metadata.annotations?.[MARK] ?? null,
    };
  }

  it("renders the control plane alone, and its pools when ACK says that it is there", async () => {
    expect(await versions([])).toEqual({ control: "1.35", pools: ["1.35", "1.35"], mark: null });
    const begun = await versions([cluster("1.34", BEFORE), pool]);
    // A pool that is added in between begins at the version before too.
    expect(begun).toMatchObject({ control: "1.35", pools: ["1.34", "1.34"] });
    const mark = begun.mark ?? "";
    expect(JSON.parse(mark)).toEqual({ from: "1.34", synced: BEFORE });
    // The operator has the new version, and has not looked since.
    expect(await versions([cluster("1.35", BEFORE, { [MARK]: mark }), pool])).toEqual(begun);
    const done = await versions([cluster("1.35", AFTER, { [MARK]: mark }), pool]);
    expect(done).toEqual({ control: "1.35", pools: ["1.35", "1.35"], mark: null });
  });

  it("keeps the pools where EKS refuses the upgrade, or is too busy: ACK calls the cluster synced all the same", async () => {
    const mark = JSON.stringify({ from: "1.34", synced: BEFORE });
    const said = (type: string, message: string): Live => ({
      ...cluster("1.35", AFTER, { [MARK]: mark }),
      status: {
        conditions: [
          { type: "ACK.ResourceSynced", status: "True", lastTransitionTime: AFTER },
          { type, status: "True", message },
          { type: "Ready", status: "False", reason: type, message, lastTransitionTime: AFTER },
        ],
      },
    });
    const kept = { control: "1.35", pools: ["1.34", "1.34"], mark };
    const [again, terminal] = ["ACK.Recoverable", "ACK.Terminal"];
    expect(await versions([said(again, "InvalidStateException: Upgrade readiness issues detected."), pool])).toEqual(
      kept,
    );
    expect(await versions([said(again, "ThrottlingException: Rate exceeded"), pool])).toEqual(kept);
    expect(await versions([said(terminal, "failed to compute the next minor version"), pool])).toEqual(kept);
    expect(await versions([said("Other", "m"), pool])).toEqual(kept);
    // ACK sends the fields of Auto Mode after the version.
    const noType = "InvalidParameterException: The type for cluster update was not provided.";
    const done = { control: "1.35", pools: ["1.35", "1.35"], mark: null };
    expect(await versions([said(again, noType), pool])).toEqual(done);
  });

  it("makes ACK look again at a pool that it gave up for its version, once the cluster is there", async () => {
    const message =
      "InvalidParameterException: Requested release version 1.35 is not valid for kubernetes version 1.34.";
    const gaveUp = (spec: object): Live => ({
      ...{ ...pool, spec: { version: "1.35", ...spec } },
      status: { conditions: [{ type: "ACK.Terminal", status: "True", message }] },
    });
    const rendered = async (control: Live, spec: object) => {
      const values = { ...(await valuesOf(CLUSTER, "aws-minimal")), kubernetesVersion: "1.35" };
      const system = [{ name: "system", cpu: 2, memory: 8 }];
      const given = { ...values, nodePools: system, poolInstanceTypes: { system: "m7i.large" } };
      const manifests = await renders.render(CLUSTER, given, [control, gaveUp(spec)]);
      return {
        release: of(manifests, "Nodegroup")[0]?.spec["releaseVersion"],
        awaits: of(manifests, "Cluster")[0]?.metadata.annotations?.["landfall.dev/awaits"]?.split(", ")[1],
      };
    };
    const there = cluster("1.35", AFTER);
    expect(await rendered(there, {})).toEqual({ release: "", awaits: undefined });
    expect(await rendered(there, { releaseVersion: "" })).toEqual({ release: undefined, awaits: undefined });
    const busy = {
      ...there,
      status: { conditions: [{ type: "ACK.ResourceSynced", status: "False", lastTransitionTime: AFTER }] },
    };
    const awaits = `eks.services.k8s.aws/Cluster/web:status.conditions[ACK.ResourceSynced]!=${AFTER}`;
    expect(await rendered(busy, {})).toEqual({ release: undefined, awaits });
  });

  it("is made without Auto Mode, and keeps the switches that it has", async () => {
    const switches = async (live: readonly Live[]) => {
      const manifests = await renders.render(CLUSTER, await valuesOf(CLUSTER, "aws-minimal"), live);
      const { computeConfig, storageConfig, kubernetesNetworkConfig } = of(manifests, "Cluster")[0]?.spec ?? {};
      const { elasticLoadBalancing } = kubernetesNetworkConfig as Record<string, unknown>;
      return { computeConfig, storageConfig, elasticLoadBalancing };
    };
    const off = { enabled: false };
    const all = { computeConfig: off, storageConfig: { blockStorage: off }, elasticLoadBalancing: off };
    expect(await switches([])).toEqual(all);
    const having = (spec: object): Live => ({ ...cluster("1.35", AFTER), spec: { version: "1.35", ...spec } });
    const kubernetesNetworkConfig = { ipFamily: "ipv4", elasticLoadBalancing: off };
    expect(await switches([having({})])).toEqual({});
    expect(await switches([having({ kubernetesNetworkConfig })])).toEqual({ elasticLoadBalancing: off });
    const { elasticLoadBalancing: _, ...rest } = all;
    expect(await switches([having({ ...rest, kubernetesNetworkConfig })])).toEqual(all);
    // Whoever has switched it on keeps it.
    expect(await switches([having({ computeConfig: { enabled: true } })])).toEqual({
      computeConfig: { enabled: true },
    });
  });

  it("names who reaches a public endpoint, keeps it when it becomes private, and opens no more than there was", async () => {
    const access = async (endpoint: string, live: readonly Live[]) => {
      const values = { ...(await valuesOf(CLUSTER, "aws-minimal")), endpoint };
      const config = of(await renders.render(CLUSTER, values, live), "Cluster")[0]?.spec["resourcesVPCConfig"];
      const { endpointPublicAccess, publicAccessCIDRs } = config as Record<string, unknown>;
      return [endpointPublicAccess, publicAccessCIDRs];
    };
    const having = (resourcesVPCConfig: object): Live => ({
      ...{ ...cluster("1.35", AFTER), spec: { version: "1.35", resourcesVPCConfig } },
    });
    const all = ["0.0.0.0/0"];
    expect(await access("public", [])).toEqual([true, all]);
    expect(await access("private", [])).toEqual([false, undefined]);
    const isPrivate = having({ endpointPublicAccess: false });
    expect(await access("public", [isPrivate])).toEqual([true, all]);
    expect(await access("private", [isPrivate])).toEqual([false, undefined]);
    expect(await access("private", [having({ endpointPublicAccess: true })])).toEqual([false, all]);
    expect(await access("private", [having({ endpointPublicAccess: false, publicAccessCIDRs: all })])).toEqual([
      false,
      all,
    ]);
    const few = ["198.51.100.0/24"];
    expect(await access("public", [having({ endpointPublicAccess: true, publicAccessCIDRs: few })])).toEqual([
      true,
      few,
    ]);
  });

  it("renders the version before again for one that EKS refused and its user takes back", async () => {
    const mark = JSON.stringify({ from: "1.34", synced: BEFORE });
    const refused = (spec: string, status: string, annotations: Record<string, string>): Live => ({
      ...cluster(spec, AFTER, annotations),
      status: { conditions: [{ type: "ACK.ResourceSynced", status, lastTransitionTime: AFTER }] },
    });
    const back = await versions([refused("1.35", "Unknown", { [MARK]: mark }), pool], "1.34");
    expect(back).toMatchObject({ control: "1.34", pools: ["1.34", "1.34"] });
    expect(JSON.parse(back.mark ?? "")).toEqual({ from: "1.34", synced: AFTER });
    const later = "2026-11-23T10:00:00Z";
    const done = await versions([cluster("1.34", later, { [MARK]: back.mark ?? "" }), pool], "1.34");
    expect(done).toEqual({ control: "1.34", pools: ["1.34", "1.34"], mark: null });
  });

  it("gives the pools the version to which EKS has upgraded the control plane itself", async () => {
    const terminal = { type: "ACK.ResourceSynced", status: "False", lastTransitionTime: BEFORE };
    const ended: Live = { ...cluster("1.34", BEFORE), status: { conditions: [terminal] } };
    const begun = await versions([ended, pool], "1.35");
    expect(begun).toMatchObject({ control: "1.35", pools: ["1.34", "1.34"] });
    const done = await versions([cluster("1.35", AFTER, { [MARK]: begun.mark ?? "" }), pool], "1.35");
    expect(done).toEqual({ control: "1.35", pools: ["1.35", "1.35"], mark: null });
  });
});

describe("a node group, which ACK finds by the name of its cluster", () => {
  const EKS = "eks.services.k8s.aws/v1alpha1";
  const since = "2026-11-23T08:00:00Z";
  const synced = [{ type: "ACK.ResourceSynced", status: "True", lastTransitionTime: since }];
  const changing = [{ type: "ACK.ResourceSynced", status: "False", lastTransitionTime: since }];
  const cluster = (conditions: object[], endpoint = "https://eks.example"): Live => ({
    ...{ apiVersion: EKS, kind: "Cluster", metadata: { name: "web" }, spec: { version: "1.35" } },
    status: { conditions, endpoint },
  });
  const made = { ackResourceMetadata: { arn: "arn:aws:eks:eu-central-1:000000000000:nodegroup/web/system" } };
  const pool = (status: object, spec: object = {}): Live => ({
    ...{
      apiVersion: EKS,
      kind: "Nodegroup",
      metadata: { name: "web-system" },
      spec: { version: "1.35", ...spec },
      status,
    },
  });

  async function rendered(live: readonly Live[]) {
    const manifests = await renders.render(CLUSTER, await valuesOf(CLUSTER, "aws-minimal"), live);
    const [control] = of(manifests, "Cluster");
    const spec = of(manifests, "Nodegroup")[0]?.spec ?? {};
    const own = { name: control?.spec["name"], ref: { from: { name: "web" } } };
    const awaits = (control?.metadata.annotations?.["landfall.dev/awaits"] ?? "").split(", ").slice(1);
    return {
      isNamed: spec["clusterName"] === own.name && spec["clusterRef"] === undefined,
      waits: spec["clusterName"] === undefined && JSON.stringify(spec["clusterRef"]) === JSON.stringify(own.ref),
      awaits,
    };
  }

  const named = { isNamed: true, waits: false, awaits: [] };

  it("waits for the cluster to be made, and then names it: ACK loses one that only refers to it", async () => {
    expect(await rendered([])).toEqual({ isNamed: false, waits: true, awaits: [] });
    expect(await rendered([cluster(changing, ""), pool({})])).toEqual({ isNamed: false, waits: true, awaits: [] });
    expect(await rendered([cluster(synced), pool({})])).toEqual(named);
  });

  it("names the cluster also while that changes, or EKS refuses a change of it", async () => {
    const terminal = [...synced, { type: "ACK.Terminal", status: "True", message: "m" }];
    for (const conditions of [changing, terminal]) {
      expect(await rendered([cluster(conditions), pool(made)])).toEqual(named);
      expect(await rendered([cluster(conditions), pool({}, { clusterName: "web-1" })])).toEqual(named);
    }
  });

  it("waits again where a pool is added, and asks for another revision once EKS has it", async () => {
    const awaits = ["eks.services.k8s.aws/Nodegroup/web-system:status.ackResourceMetadata.arn"];
    expect(await rendered([cluster(synced)])).toEqual({ isNamed: false, waits: true, awaits });
    expect(await rendered([cluster(changing), pool({})])).toEqual({ isNamed: false, waits: true, awaits });
  });
});
