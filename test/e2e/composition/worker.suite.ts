import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actAs } from "../../../src/cluster/client/act-as.ts";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { openConnections } from "../../../src/cluster/client/open-connections.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { type Gateway, startGateway } from "../../../src/composition/gateway/start-gateway.ts";
import type { HelmWorker, ReleaseCall } from "../../../src/composition/helm/calls.ts";
import { openHelmWorker } from "../../../src/composition/helm/helm-worker.ts";
import { commandOf } from "../../../src/composition/helm/release-call.ts";
import { listRevisions } from "../../../src/composition/helm/release-storage.ts";
import { runHelm } from "../../../src/composition/helm/run-helm.ts";
import { openRecords } from "../../../src/composition/record/open-records.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import {
  type ClusterUnderTest,
  clusterUnderTest,
  conditionOf,
  type ControllerProcess,
  until,
} from "./cluster-under-test.ts";

const run = promisify(execFile);
const log = pino({ level: "silent" });
const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";
const VMS = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/testvms";
const GOOGLE = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo";
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MANY = 30;

let world: ClusterUnderTest;

beforeAll(async () => {
  world = await clusterUnderTest();
});

afterAll(async () => {
  await world.reset();
});

/** A gateway and a worker in this process. Namespace `outsider` has an identity without any rights. */
async function openOwn(): Promise<{ gateway: Gateway; worker: HelmWorker; stop: () => Promise<void> }> {
  const config = await loadKubeconfig(world.plane.kubeconfig, {});
  const connections = openConnections(config);
  const client = createClient(config, connections);
  const outsider = actAs(config, "system:serviceaccount:outsider:nobody");
  const configOf = (namespace: string) => (namespace === "outsider" ? outsider : config);
  const gateway = await startGateway({
    records: openRecords({ client, log, systemNamespace: "landfall-system", keys: null }),
    tenant: (namespace) => createClient(configOf(namespace), connections),
    upstream: (namespace) => ({
      server: config.server,
      dispatcher: connections.calls,
      headers: configOf(namespace).headers,
    }),
    ...{ directory: join(world.base, "own-gateway"), log, nowSeconds: () => Date.now() / 1000 },
  });
  const program = { binary: await toolPath("helm-worker"), env: { HOME: world.base } };
  const worker = openHelmWorker({ program, log, nowMs: () => performance.now() });
  return {
    ...{ gateway, worker },
    async stop() {
      await worker.stop();
      await gateway.stop();
    },
  };
}

async function chartOf(name: string, templates: string): Promise<{ directory: string; digest: string }> {
  const directory = join(world.base, name);
  await mkdir(join(directory, "templates"), { recursive: true });
  await writeFile(join(directory, "Chart.yaml"), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
  await writeFile(join(directory, "templates/all.yaml"), templates);
  return { directory, digest: name };
}

const CONFIG_MAP = `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data:
  size: {{ .Values.size | quote }}
  late: {{ .Capabilities.APIVersions.Has "late.example/v1/Late" | quote }}
`;

describe("a release", () => {
  let own: Awaited<ReturnType<typeof openOwn>>;
  let maps: { directory: string; digest: string };

  beforeAll(async () => {
    own = await openOwn();
    maps = await chartOf("maps", CONFIG_MAP);
    await world.api.create("/api/v1/namespaces", { metadata: { name: "outsider" } });
  });

  afterAll(() => own.stop());

  const perform = (call: ReleaseCall, as = call.namespace) =>
    own.gateway.open({ namespace: as }, (access) => own.worker.perform(call, access, 60_000));
  const applyOf = (
    verb: "install" | "upgrade",
    release: string,
    { namespace = "demo", chart = maps, size = 1 } = {},
  ): ReleaseCall => ({ verb, release, namespace, chart, values: { size }, labels: { mark: "one" } });
  const dataOf = async (name: string) =>
    (await world.api.get<{ data: Record<string, string> }>(`/api/v1/namespaces/demo/configmaps/${name}`))?.data;

  it("is one that the stock program lists, rolls back and uninstalls", async () => {
    expect(await perform(applyOf("install", "stock"))).toMatchObject({ code: 0, by: "worker" });
    expect(await perform(applyOf("upgrade", "stock", { size: 2 }))).toMatchObject({ code: 0, by: "worker" });
    expect((await dataOf("stock"))?.["size"]).toBe("2");
    const env = { ...process.env, KUBECONFIG: world.plane.kubeconfig, HELM_NAMESPACE: "demo" };
    const helm = async (...args: string[]) => (await run(world.helm, args, { env })).stdout;
    const history = JSON.parse(await helm("history", "stock", "-o", "json")) as { revision: number; status: string }[];
    expect(history.map(({ revision, status }) => [revision, status])).toEqual([
      [1, "superseded"],
      [2, "deployed"],
    ]);
    expect(await helm("list", "-q")).toContain("stock\n");
    await helm("rollback", "stock", "1");
    expect((await dataOf("stock"))?.["size"]).toBe("1");
    await helm("uninstall", "stock");
    expect(await dataOf("stock")).toBeUndefined();
  });

  it("of the program is upgraded by it, and the other way round", async () => {
    const program = (call: ReleaseCall) =>
      own.gateway.open({ namespace: call.namespace }, ({ kubeconfig }) =>
        runHelm({ binary: world.helm, env: { HOME: world.base }, kubeconfig }, commandOf(call)),
      );
    expect(await program(applyOf("install", "both"))).toMatchObject({ code: 0 });
    expect(await perform(applyOf("upgrade", "both", { size: 2 }))).toMatchObject({ code: 0, by: "worker" });
    expect(await program(applyOf("upgrade", "both", { size: 3 }))).toMatchObject({ code: 0 });
    const map = await world.api.get<Resource>("/api/v1/namespaces/demo/configmaps/both");
    expect(map?.metadata).toMatchObject({ managedFields: [{ manager: "helm", operation: "Apply" }] });
    expect(await perform({ verb: "uninstall", release: "both", namespace: "demo" })).toMatchObject({ code: 0 });
    expect(await dataOf("both")).toBeUndefined();
    expect(await perform({ verb: "uninstall", release: "both", namespace: "demo" })).toMatchObject({ code: 0 });
  });

  it("is refused to an identity without rights, whatever another one has asked before", async () => {
    expect(await perform(applyOf("install", "mine"))).toMatchObject({ code: 0 });
    const refused = await perform(applyOf("install", "mine", { namespace: "outsider" }));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is forbidden: User") as string });
    expect(await world.api.get("/api/v1/namespaces/outsider/configmaps/mine")).toBeNull();
    // The token of one namespace opens no other.
    const foreign = await perform(applyOf("upgrade", "mine", { size: 7 }), "outsider");
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining("namespace outsider only") as string });
    expect((await dataOf("mine"))?.["size"]).toBe("1");
    await perform({ verb: "uninstall", release: "mine", namespace: "demo" });
  });

  it("has kinds whose CRD came later, and what a reset says is there", async () => {
    const late = await chartOf(
      "late",
      "apiVersion: late.example/v1\nkind: Late\nmetadata: { name: {{ .Release.Name }} }\n",
    );
    const before = await perform(applyOf("install", "late", { chart: late }));
    expect(before).toMatchObject({ code: 1, stderr: expect.stringContaining('no matches for kind "Late"') as string });
    expect(await perform(applyOf("install", "asks"))).toMatchObject({ code: 0 });
    expect((await dataOf("asks"))?.["late"]).toBe("false");
    const schema = { openAPIV3Schema: { type: "object" } };
    const names = { kind: "Late", plural: "lates", singular: "late", listKind: "LateList" };
    await world.api.create(CRDS, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name: "lates.late.example" },
      spec: {
        ...{ group: "late.example", scope: "Namespaced", names },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await until(async () => world.api.get("/apis/late.example/v1/namespaces/demo/lates"));
    await until(async () => (await perform(applyOf("install", "late", { chart: late })))?.code === 0);
    own.worker.reset();
    expect(await perform(applyOf("upgrade", "asks", { size: 2 }))).toMatchObject({ code: 0 });
    expect((await dataOf("asks"))?.["late"]).toBe("true");
    for (const release of ["late", "asks"]) await perform({ verb: "uninstall", release, namespace: "demo" });
    await world.api.remove(`${CRDS}/lates.late.example`);
  });
});

/** The worker of a controller. */
async function workerOf(controller: ControllerProcess): Promise<number> {
  const { pid = 0 } = controller.child;
  const children = (await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8"))
    .split(" ")
    .filter(Boolean);
  for (const child of children) {
    if ((await readFile(`/proc/${child}/cmdline`, "utf8")).includes("helm-worker")) return Number(child);
  }
  throw new Error("the controller has no worker");
}

async function define(): Promise<void> {
  await world.api.create(DEFINITIONS, {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition" },
    ...{ metadata: { name: "test-vm", namespace: "demo" }, spec: { chart: { url: world.chart } } },
  });
  await until(
    async () => conditionOf(await world.api.get<Resource>(`${DEFINITIONS}/test-vm`), "Ready")?.status === "True",
  );
}

describe("kill -9 of the worker", () => {
  it("during 30 installations installs nothing twice and loses nothing", async () => {
    const controller = world.startController(["--resync", "5"]);
    await define();
    const names = Array.from({ length: MANY }, (_, index) => `killed-${String(index)}`);
    for (const name of names) {
      const metadata = { name, namespace: "demo" };
      const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "TestVm" };
      await world.api.create(VMS, { ...about, metadata, spec: { cpu: 1, disks: 4 } });
    }
    const callsBy = (program: string) =>
      controller.lines().filter(({ msg, by }) => msg === "helm" && by === program).length;
    // While installations are underway.
    await until(() => Promise.resolve(callsBy("worker") >= 3), 120);
    process.kill(await workerOf(controller), "SIGKILL");
    for (const name of names) {
      const object = await until(async () => {
        const found = await world.api.get<Resource>(`${VMS}/${name}`);
        return conditionOf(found, "Synced")?.status === "True" && found;
      }, 180);
      const release = object.metadata.labels?.["krateo.io/release-name"] ?? "";
      const revisions = await listRevisions(world.api, "demo", release);
      expect(revisions[0]).toMatchObject({ status: "deployed" });
      // The second one followed a first one that was interrupted.
      expect(revisions.length).toBeLessThanOrEqual(2);
    }
    const made = await world.api.get<{ items: Resource[] }>(`${GOOGLE}/testmachines`);
    expect(made?.items.map(({ metadata }) => metadata.name).sort()).toEqual(names.sort());
    const ended = controller.lines().filter(({ msg }) => String(msg).startsWith("the helm worker ended"));
    expect(ended).toHaveLength(1);
    // What was underway may have had a chart that kills a worker.
    expect(callsBy("program")).toBeGreaterThan(0);
    for (const name of names) await world.api.remove(`${VMS}/${name}`);
    await until(async () => (await world.api.get<{ items: Resource[] }>(VMS))?.items.length === 0, 120);
    expect((await world.api.get<{ items: Resource[] }>(`${GOOGLE}/testmachines`))?.items).toEqual([]);
  });
});
