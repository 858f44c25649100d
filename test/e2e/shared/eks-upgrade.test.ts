import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/load-kubeconfig.ts";
import { listRevisions } from "../../../src/composition/helm/release-storage.ts";
import { COMPOSITION_LABEL } from "../../../src/model/names.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
const NAMESPACE = "eks-upgrade";
const object = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters/web`;
const pools = apiPath`/apis/eks.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/nodegroups`;
const POOL = { name: "first", count: 1, cpu: 2, memory: 8 };

interface Read {
  metadata: { name: string; labels: Record<string, string> };
  spec: Record<string, unknown> & { version?: string };
  status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
}

let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
});
afterAll(() => client.close());

const conditionOf = ({ status }: Read, type: string) => status?.conditions?.find((one) => one.type === type);

/** The object once its condition Ready has this reason and its node groups have this version. */
const settled = (version: string): Promise<Read> =>
  vi.waitFor(
    async () => {
      const found = await client.get<Read>(object);
      expect(found && conditionOf(found, "Ready")).toMatchObject({ reason: "Available" });
      const { items = [] } = (await client.get<{ items: Read[] }>(pools)) ?? {};
      expect(items.map(({ spec }) => spec.version)).toEqual([version]);
      expect(items.flatMap((one) => conditionOf(one, "ACK.ResourceSynced")?.status ?? [])).toEqual(["True"]);
      if (found === null) throw new TypeError("no object");
      return found;
    },
    { timeout: 90_000, interval: 200 },
  );

/** `[kind, version]` of the cluster and its node groups in a revision. */
async function versionsIn(release: string, revision: number): Promise<[string, unknown][]> {
  const args = ["get", "manifest", release, "--revision", String(revision), "-n", NAMESPACE];
  const { stdout } = await run(await toolPath("helm"), [...args, "--kubeconfig", kubeconfig]);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as { kind: string; spec?: { version?: unknown } } | null)
    .filter((one) => one?.kind === "Cluster" || one?.kind === "Nodegroup")
    .map((one): [string, unknown] => [one?.kind ?? "", one?.spec?.version])
    .sort();
}

describe("an upgrade of an EKS cluster, whose node groups may not be newer", () => {
  let release: string;
  let installed: number[];

  const revisions = async (): Promise<number[]> =>
    (await listRevisions(client, NAMESPACE, release)).map(({ revision }) => revision).sort((a, b) => a - b);

  it("begins with what ACK wrote into the node group put back", async () => {
    await client.create(apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/kaasclusters`, {
      ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "KaasCluster" },
      metadata: { name: "web", namespace: NAMESPACE },
      spec: { provider: "aws", kubernetesVersion: "1.34", nodePools: [POOL] },
    });
    const { metadata } = await settled("1.34");
    release = metadata.labels[COMPOSITION_LABEL.releaseName] ?? "";
    await vi.waitFor(
      async () => {
        const { items = [] } = (await client.get<{ items: Read[] }>(pools)) ?? {};
        expect(items.map(({ spec }) => spec["releaseVersion"])).toEqual([undefined]);
      },
      { timeout: 30_000, interval: 200 },
    );
    installed = await revisions();
  });

  it("has two revisions: the control plane, and the node groups when it is there", async () => {
    await client.patch(object, "merge", { spec: { kubernetesVersion: "1.35" } });
    await settled("1.35");
    const [first = 0, second = 0, ...more] = (await revisions()).filter((one) => !installed.includes(one));
    expect(more).toEqual([]);
    expect(await versionsIn(release, first)).toEqual([
      ["Cluster", "1.35"],
      ["Nodegroup", "1.34"],
    ]);
    expect(await versionsIn(release, second)).toEqual([
      ["Cluster", "1.35"],
      ["Nodegroup", "1.35"],
    ]);
  });

  it("reports no error of the provider", async () => {
    const events = await client.get<{ items: { type: string; reason: string; involvedObject: { name: string } }[] }>(
      apiPath`/api/v1/namespaces/${NAMESPACE}/events`,
    );
    const warnings = (events?.items ?? []).filter(({ type }) => type === "Warning").map(({ reason }) => reason);
    expect(warnings).toEqual([]);
  });
});
