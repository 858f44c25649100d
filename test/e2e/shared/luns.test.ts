import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { renderChart } from "../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { CHART, type Manifest } from "../../support/charts/render-vm.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
const NAMESPACE = "luns";
const MACHINES = apiPath`/apis/compute.azure.com/v1api20220301/namespaces/${NAMESPACE}/virtualmachines`;
const PLACE = { provider: "azure", schedulingLocation: "westeurope", instanceType: "Standard_D2s_v5" };
const VALUES = {
  ...{ cpu: 2, memory: 8, os: "ubuntu-24.04", image: "Canonical:ubuntu-24_04-lts:server:latest" },
  ...PLACE,
};

let client: KubeClient;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "landfall-luns-"));
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

const environment = (): Record<string, string> => ({
  ...{ HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home },
});

const valuesOf = (disks: readonly string[]): Record<string, unknown> => ({
  ...VALUES,
  disks: disks.map((name) => ({ name, sizeGiB: 10 })),
});

/** The chart's manifests for an upgrade: with what the cluster has. */
async function render(disks: readonly string[]): Promise<Manifest[]> {
  const helm = { binary: await toolPath("helm"), kubeconfig, env: environment() };
  const rendered = { chartDir: CHART, values: valuesOf(disks), name: "web", namespace: NAMESPACE };
  return (await renderChart({ helm, ...rendered })) as unknown as Manifest[];
}

interface DataDisk {
  lun: number;
  managedDisk: { reference: { name: string } };
}

function lunsIn(machine: { spec: Record<string, unknown> } | undefined): Record<string, number> {
  const { dataDisks = [] } = (machine?.spec["storageProfile"] ?? {}) as { dataDisks?: DataDisk[] };
  return Object.fromEntries(
    dataDisks.map(({ lun, managedDisk }) => [managedDisk.reference.name.replace(/^.*-/, ""), lun]),
  );
}

interface Live {
  metadata: { name: string; generation: number };
  spec: Record<string, unknown>;
  status: { conditions: [{ reason: string; observedGeneration: number }] };
}

const live = async (): Promise<Live | undefined> => (await client.get<{ items: Live[] }>(MACHINES))?.items[0];

/** The reason of the simulated operator's answer to the machine's last generation. */
const answer = (): Promise<string> =>
  vi.waitFor(
    async () => {
      const { metadata, status } = (await live()) as Live;
      const [{ reason, observedGeneration }] = status.conditions;
      expect(observedGeneration).toBe(metadata.generation);
      expect(["Succeeded", "PropertyChangeNotAllowed"]).toContain(reason);
      return reason;
    },
    { timeout: 60_000, interval: 100 },
  );

/** What helm's upgrade to these disks makes of the machine. */
async function upgrade(...disks: string[]): Promise<{ luns: Record<string, number>; reason: string }> {
  const values = join(home, "values.json");
  await writeFile(values, JSON.stringify(valuesOf(disks)));
  const flags = ["--kubeconfig", kubeconfig, "--namespace", NAMESPACE, "--values", values];
  await run(await toolPath("helm"), ["upgrade", "web", CHART, "--install", "--force-conflicts", ...flags], {
    env: environment(),
  });
  return { reason: await answer(), luns: lunsIn(await live()) };
}

describe("the disks of a machine on Azure", () => {
  it("keep their LUNs, whatever is added, removed, reordered or renamed", async () => {
    expect(await upgrade("data", "logs")).toEqual({ luns: { data: 0, logs: 1 }, reason: "Succeeded" });
    expect(await upgrade("logs", "data")).toEqual({ luns: { data: 0, logs: 1 }, reason: "Succeeded" });
    expect(await upgrade("data2", "logs")).toEqual({ luns: { data2: 2, logs: 1 }, reason: "Succeeded" });
    expect(await upgrade("logs", "data2", "spool", "cache")).toEqual({
      luns: { logs: 1, data2: 2, spool: 0, cache: 3 },
      reason: "Succeeded",
    });
    expect(await upgrade("cache")).toEqual({ luns: { cache: 3 }, reason: "Succeeded" });
  });

  it("are refused at another disk's LUN, and then get one that is free at Azure", async () => {
    const machine = await live();
    const storageProfile = machine?.spec["storageProfile"] as { dataDisks: DataDisk[] };
    expect(storageProfile.dataDisks).toMatchObject([{ lun: 3 }]);
    const disks = apiPath`/apis/compute.azure.com/v1api20240302/namespaces/${NAMESPACE}/disks`;
    const name = `${machine?.metadata.name ?? ""}-late`;
    const spec = {
      location: "westeurope",
      owner: { name: "web-rg" },
      creationData: { createOption: "Empty" },
      diskSizeGB: 10,
    };
    const metadata = { name, namespace: NAMESPACE };
    await client.create(disks, { apiVersion: "compute.azure.com/v1api20240302", kind: "Disk", metadata, spec });
    const reference = { group: "compute.azure.com", kind: "Disk", name };
    const dataDisks = [{ lun: 3, createOption: "Attach", managedDisk: { reference } }];
    const path = apiPath`/apis/compute.azure.com/v1api20220301/namespaces/${NAMESPACE}/virtualmachines/${machine?.metadata.name ?? ""}`;
    await client.patch(path, "merge", { spec: { storageProfile: { dataDisks } } });
    expect(await answer()).toBe("PropertyChangeNotAllowed");
    const again = (await render(["cache", "later"])).find(({ kind }) => kind === "VirtualMachine");
    expect(lunsIn(again)).toEqual({ cache: 3, later: 0 });
    expect(await upgrade("cache", "later")).toEqual({ luns: { cache: 3, later: 0 }, reason: "Succeeded" });
  });
});
