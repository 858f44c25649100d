import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Crd } from "../../../src/composition/definition/generate-crd.ts";
import { listRevisions } from "../../../src/composition/helm/release-storage.ts";
import type { Resource } from "../../../src/composition/types.ts";
import type { ClusterUnderTest, ControllerProcess } from "./cluster-under-test.ts";
import { clusterUnderTest, conditionOf, stays, until } from "./cluster-under-test.ts";

const run = promisify(execFile);
const NAMESPACE = "demo";
const GOOGLE = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo";
const AWS = "/apis/test.services.k8s.aws/v1alpha1/namespaces/demo";
const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";
const RESYNC_SECONDS = 1;
/** Longer than one attempt of the controller. */
const OUTAGE_MS = 4000;
const FLAGS = ["--resync", String(RESYNC_SECONDS)];

let world: ClusterUnderTest;
let controller: ControllerProcess;

const collection = (version = "v0-1-0") => `/apis/composition.krateo.io/${version}/namespaces/demo/testvms`;
const pathOf = (name: string) => `${collection()}/${name}`;
const read = (name: string) => world.api.get<Resource>(pathOf(name));

async function create(name: string, spec: object, annotations: Record<string, string> = {}, version = "v0-1-0") {
  const apiVersion = `composition.krateo.io/${version}`;
  const metadata = { name, namespace: NAMESPACE, annotations };
  return world.api.create<Resource>(collection(version), { apiVersion, kind: "TestVm", metadata, spec });
}

async function revisionsOf(name: string) {
  const release = (await read(name))?.metadata.labels?.["krateo.io/release-name"] ?? "";
  return listRevisions(world.api, NAMESPACE, release);
}

async function synced(name: string, reason: string, status = "True", seconds = 60) {
  return until(async () => {
    const object = await read(name);
    expect(conditionOf(object, "Synced")).toMatchObject({ status, reason });
    return object;
  }, seconds);
}

const installed = (name: string, seconds = 60) => synced(name, "ReconcileSuccess", "True", seconds);

async function reportReady(path: string, given: object = { status: "True", reason: "UpToDate", message: "" }) {
  const condition = { type: "Ready", lastTransitionTime: new Date().toISOString(), ...given };
  await world.api.patch(`${path}/status`, "merge", { status: { conditions: [condition] } });
}

async function remove(name: string) {
  await world.api.remove(pathOf(name));
  await until(async () => (await read(name)) === null);
}

async function define(name: string, url: string, version?: string) {
  const chart = { url, ...(version === undefined ? {} : { version }) };
  const metadata = { name, namespace: NAMESPACE };
  const definition = {
    apiVersion: "core.krateo.io/v1alpha1",
    kind: "CompositionDefinition",
    metadata,
    spec: { chart },
  };
  await world.api.create(DEFINITIONS, definition);
}

async function defined(name: string, status: string) {
  return until(async () => {
    const definition = await world.api.get<Resource>(`${DEFINITIONS}/${name}`);
    return conditionOf(definition, "Ready")?.status === status && definition;
  });
}

beforeAll(async () => {
  world = await clusterUnderTest();
  controller = world.startController(FLAGS);
  await define("test-vm", world.chart);
  await defined("test-vm", "True");
});

afterAll(async () => {
  await world.reset();
});

describe("a CompositionDefinition", () => {
  it("becomes a CRD, and reports the kind that it serves", async () => {
    const definition = await defined("test-vm", "True");
    expect(definition.status).toMatchObject({
      apiVersion: "composition.krateo.io/v0-1-0",
      kind: "TestVm",
      resource: "testvms",
      packageUrl: world.chart,
    });
    const crd = await world.api.get<Crd>(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/testvms.composition.krateo.io",
    );
    expect(crd?.spec.versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([
      ["v0-1-0", true, true],
    ]);
    const columns = crd?.spec.versions[0]?.additionalPrinterColumns.map(({ name }) => name);
    expect(columns).toEqual([
      "PROVIDER",
      "REGION",
      "TYPE",
      "START",
      "ENDS",
      "PRICE/H",
      "GCO2",
      "ADDRESS",
      "INTERNAL",
      "ID",
      "REASON",
      "READY",
      "AGE",
    ]);
  });

  it("offers its schema to Krateo's portal", async () => {
    const definition = await defined("test-vm", "True");
    const path = "/api/v1/namespaces/demo/configmaps/testvms-v0-1-0-jsonschema-configmap";
    const form = await until(() => world.api.get<Resource & { data: Record<string, string> }>(path));
    const schema = JSON.parse(form.data["values.schema.json"] ?? "{}") as { properties: Record<string, unknown> };
    expect(Object.keys(schema.properties)).toContain("provider");
    const { ownerReferences } = form.metadata as Record<string, unknown>;
    expect(ownerReferences).toMatchObject([{ kind: "CompositionDefinition", uid: definition.metadata.uid }]);
  });

  it("is served from an OCI registry", async () => {
    await run(world.helm, ["package", world.chart, "--destination", world.base]);
    const registry = `oci://${world.plane.registry}/charts`;
    await run(world.helm, ["push", join(world.base, "test-vm-0.1.0.tgz"), registry, "--plain-http"]);
    await define("from-oci", `${registry}/test-vm`, "0.1.0");
    expect((await defined("from-oci", "True")).status).toMatchObject({ kind: "TestVm" });
    await world.api.remove(`${DEFINITIONS}/from-oci`);
  });

  it("reports why a chart cannot be fetched", async () => {
    await define("nowhere", `oci://${world.plane.registry}/charts/none`, "1.0.0");
    const definition = await defined("nowhere", "False");
    expect(conditionOf(definition, "Synced")?.message).toContain("[REL_CHART_UNREADABLE]");
    await world.api.remove(`${DEFINITIONS}/nowhere`);
  });
});

describe("a composition", () => {
  it("is installed with Krateo's labels, finalizer, values and status", async () => {
    const made = await create("first", { cpu: 2, provider: "gcp" });
    const object = await installed("first");
    const uid = made.metadata.uid ?? "";
    const release = `first-${uid.slice(0, 8)}`;
    expect(object.metadata.finalizers).toEqual(["composition.krateo.io/finalizer"]);
    expect(object.metadata.labels).toEqual({
      "krateo.io/composition-definition-group": "core.krateo.io",
      "krateo.io/composition-definition-name": "test-vm",
      "krateo.io/composition-definition-namespace": "demo",
      "krateo.io/composition-definition-resource": "compositiondefinitions",
      "krateo.io/composition-definition-version": "v1alpha1",
      "krateo.io/composition-version": "v0-1-0",
      "krateo.io/release-name": release,
    });
    const values = await run(world.helm, [
      ...["get", "values", release, "-n", NAMESPACE, "-o", "json", "--kubeconfig", world.plane.kubeconfig],
    ]);
    expect(JSON.parse(values.stdout)).toEqual({
      ...{ cpu: 2, memory: 2, disks: 1, provider: "gcp" },
      global: {
        compositionApiVersion: "composition.krateo.io/v0-1-0",
        compositionGroup: "composition.krateo.io",
        compositionId: uid,
        compositionInstalledVersion: "v0-1-0",
        compositionKind: "TestVm",
        compositionName: "first",
        compositionNamespace: "demo",
        compositionResource: "testvms",
        gracefullyPaused: "false",
        krateoNamespace: "krateo-system",
      },
    });
    expect(object.status).toMatchObject({
      digest: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      previousDigest: "",
      helmChartUrl: world.chart,
      helmChartVersion: "0.1.0",
    });
    expect(object.status?.["managed"]).toContainEqual({
      apiVersion: "test.cnrm.cloud.google.com/v1beta1",
      name: "first",
      namespace: "demo",
      path: `${GOOGLE}/testmachines/first`,
      resource: "testmachines",
    });
  });

  it("is announced to Krateo's portal when it is installed", async () => {
    const created = await until(async () => {
      const events = await world.api.get<{ items: Record<string, unknown>[] }>(
        `/api/v1/namespaces/${NAMESPACE}/events`,
      );
      return events?.items.find(
        ({ reason, involvedObject }) =>
          reason === "CompositionCreated" && (involvedObject as { name: string }).name === "first",
      );
    });
    expect(created).toMatchObject({ type: "Normal", message: expect.stringContaining("of chart test-vm") as string });
  });

  it("is not upgraded by resyncs, events or status changes", async () => {
    const once = async () =>
      expect((await revisionsOf("first")).map(({ revision, status }) => [revision, status])).toEqual([[1, "deployed"]]);
    await stays(once, 2.5 * RESYNC_SECONDS);
    await reportReady(`${GOOGLE}/testmachines/first`);
    await stays(once, 1);
  });

  it("is Ready when its resources are, and reports what it waits for", async () => {
    expect(conditionOf(await read("first"), "Ready")).toMatchObject({
      status: "False",
      reason: "Creating",
      message: "waiting for TestDisk first-0: Pending: its operator has not reported its state yet (and 1 more)",
    });
    await reportReady(`${GOOGLE}/testdisks/first-0`);
    await reportReady(`${GOOGLE}/testnetworks/first`);
    await until(async () => conditionOf(await read("first"), "Ready")?.status === "True");
    expect(conditionOf(await read("first"), "Ready")).toMatchObject({ reason: "Available" });
  });

  it("passes a provider's refusal on, with its reason", async () => {
    const message = "Update call failed: googleapi: Error 403: Quota 'CPUS' exceeded., quotaExceeded";
    await reportReady(`${GOOGLE}/testmachines/first`, { status: "False", reason: "UpdateFailed", message });
    const ready = await until(async () => {
      const condition = conditionOf(await read("first"), "Ready");
      return condition?.reason === "ProviderCapacity" && condition;
    });
    expect(ready.message).toBe("TestMachine first: QuotaExceeded: Quota 'CPUS' exceeded. [REL_PROVIDER_CAPACITY]");
  });

  it("is upgraded when its spec changes, and keeps a bounded history", async () => {
    for (const cpu of [3, 4, 5, 6, 7, 8]) {
      await world.api.patch(pathOf("first"), "merge", { spec: { cpu } });
      await until(async () => {
        const machine = await world.api.get<Resource>(`${GOOGLE}/testmachines/first`);
        return machine?.spec?.["machineType"] === `n2-custom-${cpu}`;
      });
      await until(async () => (await revisionsOf("first"))[0]?.status === "deployed");
    }
    const revisions = await revisionsOf("first");
    expect(revisions[0]).toMatchObject({ revision: 7, status: "deployed" });
    expect(revisions).toHaveLength(5);
  });

  it("restores what was deleted or changed by hand", async () => {
    await world.api.remove(`${GOOGLE}/testdisks/first-0`);
    await until(async () => world.api.get(`${GOOGLE}/testdisks/first-0`));
    // By another manager than the operator, for which the status was written: its own changes are no drift.
    const byHand = `${GOOGLE}/testmachines/first?fieldManager=kubectl-edit`;
    await world.api.patch(byHand, "merge", { spec: { machineType: "other", extra: "kept" } });
    const machine = await until(async () => {
      const live = await world.api.get<Resource>(`${GOOGLE}/testmachines/first`);
      return live?.spec?.["machineType"] === "n2-custom-8" && live;
    });
    // A field that the chart does not set is the operator's own (late initialisation).
    expect(machine.spec?.["extra"]).toBe("kept");
  });

  it("reports what blocks its deletion, and is deleted when its resources are", async () => {
    const machine = `${GOOGLE}/testmachines/first`;
    await world.api.patch(machine, "merge", { metadata: { finalizers: ["test.dev/held"] } });
    const message = "it is in use by something";
    await reportReady(machine, { status: "False", reason: "DeleteFailed", message: `Delete call failed: ${message}` });
    await world.api.remove(pathOf("first"));
    const ready = await until(async () => {
      const condition = conditionOf(await read("first"), "Ready");
      return condition?.reason === "Deleting" && condition;
    });
    expect(ready.message).toBe(`TestMachine first still exists: DeleteFailed: ${message} [REL_DELETE_BLOCKED]`);
    expect(await world.api.get(`${GOOGLE}/testdisks/first-0`)).toBeNull();
    await world.api.patch(machine, "merge", { metadata: { finalizers: null } });
    await until(async () => (await read("first")) === null);
    expect(await world.api.get(machine)).toBeNull();
  });
});

describe("a paused composition", () => {
  it("creates nothing until the annotation is removed, and can be deleted while it is paused", async () => {
    await create("held", { cpu: 1 }, { "krateo.io/paused": "true" });
    await synced("held", "ReconcilePaused", "False");
    await stays(async () => expect(await world.api.get(`${GOOGLE}/testmachines/held`)).toBeNull(), RESYNC_SECONDS);
    await world.api.patch(pathOf("held"), "merge", { metadata: { annotations: { "krateo.io/paused": null } } });
    await installed("held");
    await world.api.patch(pathOf("held"), "merge", { metadata: { annotations: { "krateo.io/paused": "true" } } });
    await world.api.patch(pathOf("held"), "merge", { spec: { cpu: 5 } });
    await synced("held", "ReconcilePaused", "False");
    await stays(async () => {
      const machine = await world.api.get(`${GOOGLE}/testmachines/held`);
      expect(machine).toMatchObject({ spec: { machineType: "n2-custom-1" } });
    }, 0.5);
    await remove("held");
  });

  it("starts within seconds of its start time", async () => {
    const start = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3000).toISOString().replace(".000Z", "Z");
    await create(
      "timed",
      { cpu: 1, schedulingTime: start },
      { "krateo.io/paused": "true", "landfall.dev/decision": "{}" },
    );
    const waiting = await until(async () => conditionOf(await read("timed"), "Scheduled") ?? null);
    expect(waiting).toMatchObject({
      status: "True",
      reason: "WaitingForStart",
      message: `starts in 1 min (at ${start})`,
    });
    await until(async () => (await read("timed"))?.metadata.annotations?.["krateo.io/paused"] === undefined);
    expect(Date.now() - Date.parse(start)).toBeGreaterThanOrEqual(0);
    expect(Date.now() - Date.parse(start)).toBeLessThan(5000);
    const object = await installed("timed");
    expect(conditionOf(object, "Scheduled")).toMatchObject({ status: "False", reason: "Started" });
    await remove("timed");
  });

  it("starts at once on request, and never by itself without a decision", async () => {
    const later = "2099-01-01T00:00:00Z";
    const past = "2020-01-01T00:00:00Z";
    await create(
      "told",
      { cpu: 1, schedulingTime: later },
      { "krateo.io/paused": "true", "landfall.dev/decision": "{}", "landfall.dev/start-now": "urgent" },
    );
    await create("undecided", { cpu: 1, schedulingTime: past }, { "krateo.io/paused": "true" });
    await installed("told");
    await synced("undecided", "ReconcilePaused", "False");
    expect((await read("undecided"))?.metadata.annotations?.["krateo.io/paused"]).toBe("true");
    await Promise.all([remove("told"), remove("undecided")]);
  });

  it("passes a graceful pause to the chart once, then changes nothing", async () => {
    await create("graceful", { cpu: 1 });
    await installed("graceful");
    const annotations = { "krateo.io/gracefully-paused": "true" };
    await world.api.patch(pathOf("graceful"), "merge", { metadata: { annotations } });
    await synced("graceful", "ReconcilePaused", "False");
    expect((await revisionsOf("graceful"))[0]?.revision).toBe(2);
    await world.api.remove(`${GOOGLE}/testmachines/graceful`);
    const gone = async () => expect(await world.api.get(`${GOOGLE}/testmachines/graceful`)).toBeNull();
    await stays(gone, 1.5 * RESYNC_SECONDS);
    await remove("graceful");
  });
});

describe("a value that exists only later", () => {
  it("is rendered into the release when it appears, by one upgrade", async () => {
    await create("late", { cpu: 1, awaited: true });
    await installed("late");
    expect(await world.api.get(`${AWS}/instances/late`)).toMatchObject({ spec: { instanceType: "t3.small" } });
    await world.api.patch(`${AWS}/securitygroups/late/status`, "merge", { status: { id: "sg-0123" } });
    await until(async () => {
      const instance = await world.api.get<Resource>(`${AWS}/instances/late`);
      expect(instance?.spec?.["securityGroupIDs"]).toEqual(["sg-0123"]);
      return true;
    });
    // Helm writes its record last.
    await until(async () => (await revisionsOf("late"))[0]?.status === "deployed");
    const upgradedOnce = async () =>
      expect((await revisionsOf("late"))[0]).toMatchObject({ revision: 2, status: "deployed" });
    await stays(upgradedOnce, 1.5 * RESYNC_SECONDS);
    await remove("late");
  });
});

describe("a failure", () => {
  it("of the chart is reported with REL_RENDER, leaves nothing behind, and ends when it is corrected", async () => {
    await create("broken", { cpu: 1, fail: "boom" });
    const object = await synced("broken", "ReconcileError", "False");
    const message =
      "chart test-vm does not render: templates/vm.yaml:1: told to fail: boom; " +
      "run `landfall plan` with the same object [REL_RENDER]";
    expect(conditionOf(object, "Synced")?.message).toBe(message);
    expect(conditionOf(object, "Ready")).toMatchObject({ status: "False", reason: "ReleaseFailed", message });
    expect(await revisionsOf("broken")).toEqual([]);
    expect(await world.api.get(`${GOOGLE}/testmachines/broken`)).toBeNull();
    await world.api.patch(pathOf("broken"), "merge", { spec: { fail: null } });
    await installed("broken");
    await remove("broken");
  });

  it("of one resource is reported with REL_HELM, and ends when it is corrected", async () => {
    await create("refused", { cpu: 1, refuse: true });
    const object = await synced("refused", "ReconcileError", "False");
    expect(conditionOf(object, "Synced")?.message).toMatch(
      /TestDisk.*should be greater than or equal to 1.*\[REL_HELM\]/s,
    );
    await world.api.patch(pathOf("refused"), "merge", { spec: { refuse: false } });
    await installed("refused");
    await remove("refused");
    expect(await world.api.get(`${GOOGLE}/testmachines/refused`)).toBeNull();
  });
});

describe("a disturbance", () => {
  it("of the API server is survived, and changes are applied after it", async () => {
    await create("outage", { cpu: 1 });
    await installed("outage");
    world.outage.begin();
    await world.api.patch(pathOf("outage"), "merge", { spec: { cpu: 9 } });
    await create("meanwhile", { cpu: 1 });
    await sleep(OUTAGE_MS);
    world.outage.end();
    await until(async () => {
      const machine = await world.api.get<Resource>(`${GOOGLE}/testmachines/outage`);
      return machine?.spec?.["machineType"] === "n2-custom-9";
    });
    await installed("meanwhile");
    // Helm writes its record last.
    await until(async () => (await revisionsOf("outage"))[0]?.status === "deployed");
    await until(async () => {
      expect((await revisionsOf("outage"))[0]).toMatchObject({ revision: 2, status: "deployed" });
      return true;
    });
    await Promise.all([remove("outage"), remove("meanwhile")]);
  });

  it("by kill -9 in the middle leaves each object installed once", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => create(name, { cpu: 1, disks: 5 })));
    const releases = async () => Promise.all(names.map(revisionsOf));
    await until(async () => (await releases()).some((revisions) => revisions.length > 0));
    expect(await controller.end("SIGKILL")).toBeNull();
    controller = world.startController(FLAGS);
    await Promise.all(names.map((name) => installed(name, 60)));
    // Helm supersedes a first revision that failed with the second one.
    for (const [newest, ...earlier] of await releases()) {
      expect(newest?.status).toBe("deployed");
      expect(earlier.filter(({ status, revision }) => status !== "superseded" || revision !== 1)).toEqual([]);
    }
    const machines = await world.api.get<{ items: Resource[] }>(`${GOOGLE}/testmachines`);
    const made = (machines?.items ?? []).map(({ metadata }) => metadata.name);
    expect(made.filter((name) => name?.startsWith("many-")).sort()).toEqual([...names].sort());
    await Promise.all(names.map(remove));
  });

  it("that left a release pending is recovered", async () => {
    await create("pending", { cpu: 1 });
    await installed("pending");
    expect(await controller.end("SIGTERM")).toBe(0);
    const [last] = await revisionsOf("pending");
    const secret = `/api/v1/namespaces/${NAMESPACE}/secrets/${last?.secret ?? ""}`;
    await world.api.patch(secret, "merge", { metadata: { labels: { status: "pending-install" } } });
    controller = world.startController(FLAGS);
    await until(async () => (await revisionsOf("pending"))[0]?.status === "deployed", 40);
    expect((await revisionsOf("pending"))[0]?.revision).toBe(1);
    expect(await world.api.get(`${GOOGLE}/testmachines/pending`)).not.toBeNull();
    await remove("pending");
  });
});

describe("a new chart version", () => {
  it("adds a CRD version, keeps the old one served, and takes the compositions with it", async () => {
    await create("moved", { cpu: 1 });
    await installed("moved");
    const file = join(world.chart, "Chart.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("version: 0.1.0", "version: 0.2.0"));
    await world.api.patch(`${DEFINITIONS}/test-vm`, "merge", { spec: { chart: { version: "0.2.0" } } });
    const object = await until(async () => {
      const live = await read("moved");
      return live?.status?.["helmChartVersion"] === "0.2.0" && live;
    });
    expect(object.metadata.labels?.["krateo.io/composition-version"]).toBe("v0-2-0");
    const crd = await world.api.get<Crd>(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/testvms.composition.krateo.io",
    );
    expect(crd?.spec.versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([
      ["v0-1-0", true, false],
      ["v0-2-0", true, true],
    ]);
    expect((await revisionsOf("moved"))[0]?.revision).toBe(2);
    await remove("moved");
  });
});
