import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { parse } from "yaml";
import { apiPath, type ApiPath } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");

/**
 * Krateo installs with Helm 3, which compares a manifest with the one before and not with what is live. Helm 4 does the same for custom
 * resources without server-side apply; only its version says otherwise, so the charts' answer to that question is replaced.
 */
const COMPARES = '{{- define "vm.comparesManifests" -}}true{{ end -}}\n';
const MODES = [
  { mode: "as Krateo does", namespace: "written-back-krateo", flags: ["--server-side=false"] },
  { mode: "with server-side apply", namespace: "written-back", flags: ["--server-side=true", "--force-conflicts"] },
] as const;

let client: KubeClient;
let home: string;

interface Item {
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

const only = async (path: ApiPath): Promise<Item | undefined> => (await client.get<{ items: Item[] }>(path))?.items[0];

/** The resource once its spec looks like this. */
const until = (path: ApiPath, spec: Record<string, unknown>): Promise<void> =>
  vi.waitFor(async () => expect((await only(path))?.spec).toMatchObject(spec), { timeout: 60_000, interval: 200 });

async function chartOf(name: string, namespace: string): Promise<string> {
  const copy = join(home, namespace, name);
  await cp(fileURLToPath(new URL(`../../../charts/${name}`, import.meta.url)), copy, { recursive: true });
  if (namespace === MODES[0].namespace) await writeFile(join(copy, "templates/zz-compares.tpl"), COMPARES);
  return copy;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "landfall-written-back-"));
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  for (const { namespace } of MODES) {
    const metadata = { name: namespace };
    await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
  }
});

afterAll(async () => {
  await client.close();
  await rm(home, { recursive: true, force: true });
});

describe.each(MODES)("what ACK wrote into its specs, where helm upgrades $mode", ({ namespace, flags }) => {
  async function helm(verb: "install" | "upgrade", name: string, chart: string): Promise<void> {
    const values = join(chart, "ci/aws-minimal-values.yaml");
    const args = [verb, name, chart, "-n", namespace, "-f", values, "--kubeconfig", kubeconfig, ...flags];
    const env = { ...process.env, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    await run(await toolPath("helm"), args, { env });
  }

  it("goes from a machine, and its disks come back", async () => {
    const instances = apiPath`/apis/ec2.services.k8s.aws/v1alpha1/namespaces/${namespace}/instances`;
    const chart = await chartOf("vmtemplate", namespace);
    await helm("install", "web", chart);
    const before = (await only(instances))?.spec["blockDeviceMappings"];
    expect(before).toHaveLength(1);
    await until(instances, { networkInterfaces: [{ deviceIndex: 0 }] });
    expect((await only(instances))?.spec["blockDeviceMappings"]).toBeUndefined();
    for (let revision = 2; revision <= 5; revision += 1) await helm("upgrade", "web", chart);
    const { spec } = (await only(instances)) ?? { spec: {} };
    expect(spec["networkInterfaces"]).toBeUndefined();
    expect(spec["blockDeviceMappings"]).toEqual(before);
  });

  it("goes from a node group, whose version then changes", async () => {
    const pools = apiPath`/apis/eks.services.k8s.aws/v1alpha1/namespaces/${namespace}/nodegroups`;
    const chart = await chartOf("kaas-cluster", namespace);
    const { kubernetesVersion } = parse(await readFile(join(chart, "ci/aws-minimal-values.yaml"), "utf8")) as {
      kubernetesVersion: string;
    };
    await helm("install", "pools", chart);
    await vi.waitFor(
      async () => expect((await only(pools))?.spec["releaseVersion"]).toMatch(new RegExp(`^${kubernetesVersion}[.]`)),
      { timeout: 60_000, interval: 200 },
    );
    await helm("upgrade", "pools", chart);
    const spec = (await only(pools))?.spec;
    expect(spec).toMatchObject({ version: kubernetesVersion, releaseVersion: "" });
    await helm("upgrade", "pools", chart);
    expect((await only(pools))?.spec["releaseVersion"]).toBeUndefined();
  });
});
