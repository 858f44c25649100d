import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { parse } from "yaml";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { renderChart } from "../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { CHART, type Manifest } from "../../support/charts/render-vm.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "removed-ports";
const groups = apiPath`/apis/ec2.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/securitygroups`;
let client: ReturnType<typeof createClient>;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "landfall-ports-"));
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  await client.create(apiPath`/api/v1/namespaces`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: NAMESPACE },
  });
});

afterAll(async () => {
  await client.close();
  await rm(home, { recursive: true, force: true });
});

/** The chart's manifests for a machine in an existing network, without groups of its user. */
async function render(ports: unknown): Promise<Manifest[]> {
  const file = await readFile(join(CHART, "ci/aws-existing-network-values.yaml"), "utf8");
  const { ports: _, ...values } = parse(file) as Record<string, unknown>;
  const { subnet, network } = (values["network"] as { existing: Record<string, string> }).existing;
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home };
  return (await renderChart({
    helm: { binary: await toolPath("helm"), kubeconfig, env },
    chartDir: CHART,
    values: { ...values, network: { existing: { subnet, network } }, ...(ports === null ? {} : { ports }) },
    name: "web",
    namespace: NAMESPACE,
  })) as unknown as Manifest[];
}

const of = (manifests: Manifest[], kind: string) => manifests.find((manifest) => manifest.kind === kind)?.spec;

it("keeps the group of a machine whose last port is removed, and removes its rules", async () => {
  expect(of(await render(null), "SecurityGroup")).toBeUndefined();
  const opened = await render([{ port: 22 }]);
  const prefix = opened.find(({ kind }) => kind === "SecurityGroup")?.metadata.name ?? "";
  await client.create(groups, {
    apiVersion: "ec2.services.k8s.aws/v1alpha1",
    kind: "SecurityGroup",
    metadata: {
      ...{ name: prefix, namespace: NAMESPACE, labels: { "app.kubernetes.io/managed-by": "Helm" } },
      annotations: { "meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": NAMESPACE },
    },
    spec: { name: prefix, description: "x" },
  });
  // The simulated operator gives it an id.
  const path = apiPath`/apis/ec2.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/securitygroups/${prefix}`;
  const id = await vi.waitFor(
    async () => {
      const group = await client.get<{ status?: { id?: string } }>(path);
      expect(group?.status?.id).toMatch(/^sg-/);
      return group?.status?.id;
    },
    { timeout: 30_000, interval: 200 },
  );
  expect(of(await render([{ port: 22 }]), "Instance")?.["securityGroupIDs"]).toEqual([id]);
  const closed = await render(null);
  expect(of(closed, "SecurityGroup")?.["ingressRules"]).toEqual([]);
  expect(of(closed, "Instance")?.["securityGroupIDs"]).toEqual([id]);
});
