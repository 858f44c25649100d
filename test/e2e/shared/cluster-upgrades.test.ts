import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { apiPath, type ApiPath } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { listRevisions } from "../../../src/composition/helm/release-storage.ts";
import { COMPOSITION_LABEL } from "../../../src/model/names.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
const NAMESPACE = "cluster-upgrades";
const clusters = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters`;
const NODE_GROUPS = apiPath`/apis/eks.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/nodegroups`;
const pool = (name: string) => ({ name, count: 1, cpu: 2, memory: 8 });

interface Read {
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec: Record<string, unknown>;
  status?: { version?: string; conditions?: { type: string; status: string; reason: string; message: string }[] };
}

interface Provider {
  provider: string;
  /** How many revisions an installation has: two where a value is awaited. */
  installs: number;
  /** The pools' own resources. */
  pools: ApiPath;
  /** The field of their version. */
  field: string;
  control: string;
  controlField: string;
  kind: string;
  nodePools: ReturnType<typeof pool>[];
}

const PROVIDERS: readonly Provider[] = [
  {
    ...{ provider: "aws", control: "Cluster", controlField: "version", kind: "Nodegroup", field: "version" },
    ...{ pools: NODE_GROUPS, nodePools: [pool("first")], installs: 2 },
  },
  {
    ...{ provider: "azure", control: "ManagedCluster", controlField: "kubernetesVersion" },
    ...{ kind: "ManagedClustersAgentPool", field: "orchestratorVersion", nodePools: [pool("first"), pool("second")] },
    installs: 1,
    pools: apiPath`/apis/containerservice.azure.com/v1api20240901/namespaces/${NAMESPACE}/managedclustersagentpools`,
  },
  {
    ...{ provider: "gcp", control: "ContainerCluster", controlField: "minMasterVersion", kind: "ContainerNodePool" },
    ...{ field: "version", nodePools: [pool("first")], installs: 2 },
    pools: apiPath`/apis/container.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/containernodepools`,
  },
];

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
});
afterAll(() => client.close());

const conditionOf = ({ status }: Read, type: string) => status?.conditions?.find((one) => one.type === type);
const objectOf = ({ provider }: Provider): ApiPath =>
  apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters/${provider}`;

const poolsOf = async ({ pools }: Provider): Promise<Read[]> =>
  (await client.get<{ items: Read[] }>(pools))?.items ?? [];

/** The version that a pool asks for; none in a release channel of GKE, which upgrades the nodes. */
const ofPools = ({ provider }: Provider, version: string): string | undefined =>
  provider === "gcp" ? undefined : version;

/** The object once its condition Ready has this reason, and its control plane and its pools have this version. */
const settled = (provider: Provider, version: string): Promise<Read> =>
  vi.waitFor(
    async () => {
      const found = await client.get<Read>(objectOf(provider));
      expect(found && conditionOf(found, "Ready")).toMatchObject({ reason: "Available" });
      expect(found?.status?.version?.split(".").slice(0, 2).join(".")).toBe(version);
      const items = await poolsOf(provider);
      const { nodePools } = provider;
      expect(items.map(({ spec }) => spec[provider.field])).toEqual(nodePools.map(() => ofPools(provider, version)));
      expect(items.map((one) => conditionOf(one, "Ready")?.status)).toEqual(nodePools.map(() => "True"));
      if (found === null) throw new TypeError("no object");
      return found;
    },
    { timeout: 90_000, interval: 200 },
  );

/** `[kind, version]` of the control plane and of every pool in a revision. */
async function versionsIn(provider: Provider, release: string, revision: number): Promise<[string, unknown][]> {
  const args = ["get", "manifest", release, "--revision", String(revision), "-n", NAMESPACE];
  const { stdout } = await run(await toolPath("helm"), [...args, "--kubeconfig", kubeconfig]);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Read | null)
    .flatMap((one): [string, unknown][] => {
      if (one?.kind === provider.kind) return [[one.kind, one.spec[provider.field]]];
      if (one?.kind !== provider.control) return [];
      // AKS takes no versions of some of its pools with those of the control plane.
      expect(one.spec["agentPoolProfiles"]).toBeUndefined();
      return [[one.kind, one.spec[provider.controlField]]];
    });
}

const releases = new Map<string, { name: string; installed: number[] }>();

const revisionsOf = async (name: string): Promise<number[]> =>
  (await listRevisions(client, NAMESPACE, name)).map(({ revision }) => revision).sort((a, b) => a - b);

describe("an upgrade of a cluster, whose pools may not be newer than its control plane", () => {
  beforeAll(async () => {
    for (const { provider, nodePools } of PROVIDERS) {
      await client.create(clusters, {
        ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "KaasCluster" },
        metadata: { name: provider, namespace: NAMESPACE },
        spec: { provider, kubernetesVersion: "1.34", nodePools },
      });
    }
    for (const one of PROVIDERS) {
      const { metadata } = await settled(one, "1.34");
      const name = metadata.labels[COMPOSITION_LABEL.releaseName] ?? "";
      await vi.waitFor(async () => expect(await revisionsOf(name)).toHaveLength(one.installs), 30_000);
      releases.set(one.provider, { name, installed: await revisionsOf(name) });
    }
  });

  it("begins with what ACK wrote into the node group put back", async () => {
    const read = async () => (await client.get<{ items: Read[] }>(NODE_GROUPS))?.items ?? [];
    await vi.waitFor(
      async () => expect((await read()).map(({ spec }) => spec["releaseVersion"])).toEqual([undefined]),
      { timeout: 30_000, interval: 200 },
    );
  });

  it.each(PROVIDERS)(
    "on $provider has two revisions: the control plane, and the pools when it is there",
    async (one) => {
      const { name, installed } = releases.get(one.provider) ?? { name: "", installed: [] };
      await client.patch(objectOf(one), "merge", { spec: { kubernetesVersion: "1.35" } });
      await settled(one, "1.35");
      const [first = 0, second = 0, ...more] = (await revisionsOf(name)).filter(
        (number) => !installed.includes(number),
      );
      expect(more).toEqual([]);
      const [before, after] = [await versionsIn(one, name, first), await versionsIn(one, name, second)];
      const pools = (version: string) => one.nodePools.map(() => [one.kind, ofPools(one, version)]);
      expect(before.sort()).toEqual([[one.control, "1.35"], ...pools("1.34")].sort());
      expect(after.sort()).toEqual([[one.control, "1.35"], ...pools("1.35")].sort());
    },
  );

  it("reports no error of the provider", async () => {
    const events = await client.get<{ items: { type: string; reason: string; message: string }[] }>(
      apiPath`/api/v1/namespaces/${NAMESPACE}/events`,
    );
    const warnings = (events?.items ?? []).filter(({ type }) => type === "Warning");
    expect(warnings.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([]);
  });
});
