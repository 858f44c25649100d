import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { formatTime, nowSeconds } from "../../../src/model/time.ts";
import type { ClusterUnderTest, ControllerProcess } from "../../e2e/composition/cluster-under-test.ts";
import { clusterUnderTest, conditionOf, stays, until } from "../../e2e/composition/cluster-under-test.ts";

const DEFINITION = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions/test-vm";
const GOOGLE = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/victim";
const NAMES = ["one", "two", "three"];

let world: ClusterUnderTest;
let controller: ControllerProcess;

const collection = (namespace: string) => `/apis/composition.krateo.io/v0-1-0/namespaces/${namespace}/testvms`;
const read = (name: string, namespace = "victim") => world.api.get<Resource>(`${collection(namespace)}/${name}`);
const versionOf = async (name: string) => (await read(name))?.status?.["helmChartVersion"];
const reasonOf = async (name: string) => conditionOf(await read(name), "Synced")?.reason;
const machineOf = (name: string) => world.api.get<Resource>(`${GOOGLE}/testmachines/${name}`);
const powerOf = async (name: string) => (await machineOf(name))?.spec?.["tags"];
const rolledOut = async () => conditionOf(await world.api.get<Resource>(DEFINITION), "RolledOut")?.reason;
const change = (name: string, patch: object) => world.api.patch(`${collection("victim")}/${name}`, "merge", patch);
const setPaused = (reason: string | null) =>
  world.api.patch(DEFINITION, "merge", { metadata: { annotations: { "landfall.dev/rollout-paused": reason } } });

const create = (namespace: string, name: string, spec: object, annotations: Record<string, string> = {}) =>
  world.api.create<Resource>(collection(namespace), {
    ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "TestVm" },
    ...{ metadata: { name, namespace, annotations }, spec },
  });

async function makeReady(name: string): Promise<void> {
  const condition = { type: "Ready", status: "True", reason: "UpToDate", message: "" };
  const conditions = [{ ...condition, lastTransitionTime: new Date().toISOString() }];
  for (const path of [`testnetworks/${name}`, `testmachines/${name}`, `testdisks/${name}-0`]) {
    await until(async () => (await world.api.get(`${GOOGLE}/${path}`)) !== null);
    await world.api.patch(`${GOOGLE}/${path}/status`, "merge", { status: { conditions } });
  }
}

async function edit(file: string, by: (text: string) => string): Promise<void> {
  const path = join(world.chart, file);
  await writeFile(path, by(await readFile(path, "utf8")));
}

async function release(version: string): Promise<void> {
  await edit("Chart.yaml", (text) => text.replace(/^version: .*$/m, `version: ${version}`));
  await world.api.patch(DEFINITION, "merge", { spec: { chart: { version } } });
}

/** A run of some minutes that is paused from and to so many seconds from now. */
async function createRun(name: string, from: number, to: number): Promise<void> {
  const at = (seconds: number): string => formatTime(nowSeconds() + seconds);
  const [start, end] = [at(0), at(to + 3000)];
  const segments = [
    { start, end: at(from) },
    { start: at(to), end },
  ];
  const run = { duration: "40m", whenDone: "delete", interruptible: { minRun: "1m", resumeCost: "1m" } };
  const decision = JSON.stringify({ placement: { start, end, segments } });
  await create("victim", name, { cpu: 1, ...run }, { "landfall.dev/decision": decision });
  await makeReady(name);
}

beforeAll(async () => {
  world = await clusterUnderTest();
  for (const name of ["victim", "evil"])
    await world.api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await edit("values.schema.json", (text) => {
    const schema = JSON.parse(text) as { properties: Record<string, unknown> };
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    return JSON.stringify({
      ...schema,
      properties: { ...schema.properties, interruptible: open, whenDone: { type: "string" } },
    });
  });
  const power = 'tags: { power: {{ .Values.global.powerState | default "none" | quote }} }';
  await edit("templates/vm.yaml", (text) => text.replace("tags: {{ .Values.tags | default dict | toJson }}", power));
  controller = world.startController(["--resync", "5"]);
  const annotations = { "landfall.dev/rollout-per-minute": "100" };
  await world.api.create(DEFINITION.slice(0, DEFINITION.lastIndexOf("/")), {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition" },
    ...{ metadata: { name: "test-vm", namespace: "demo", annotations }, spec: { chart: { url: world.chart } } },
  });
  await until(async () => conditionOf(await world.api.get<Resource>(DEFINITION), "Ready")?.status === "True");
  for (const name of NAMES) await create("victim", name, { cpu: 1 });
  for (const name of NAMES) await makeReady(name);
  for (const name of NAMES) await until(async () => conditionOf(await read(name), "Ready")?.status === "True");
});

afterAll(async () => {
  await controller.end("SIGKILL");
  await world.stop();
});

it("what waits for a new version is repaired, changed, paused and resumed with the installed one", async () => {
  await createRun("run", 20, 50);
  await setPaused("freeze");
  await release("0.2.0");
  await until(async () => (await rolledOut()) === "Paused");
  await world.api.remove(`${GOOGLE}/testmachines/three`);
  await makeReady("three");
  await change("two", { spec: { memory: 8 } });
  await until(async () => (await machineOf("two"))?.spec?.["memory"] === 8);
  await until(async () => {
    expect(await powerOf("run")).toEqual({ power: "off" });
    return true;
  });
  await until(async () => {
    // `on` until its machine is ready, then `none`.
    expect(await powerOf("run")).not.toEqual({ power: "off" });
    return true;
  });
  for (const name of [...NAMES, "run"])
    expect([await versionOf(name), await reasonOf(name)], name).toEqual(["0.1.0", "AwaitsRollout"]);
});

it("no label takes an object past a rollout that is paused", async () => {
  const version = "krateo.io/composition-version";
  await change("one", { metadata: { labels: { [version]: "v9", "krateo.io/composition-definition-name": "nobody" } } });
  await change("two", { metadata: { labels: { [version]: "v0-2-0" } } });
  await until(async () => (await read("one"))?.metadata.labels?.[version] === "v0-1-0");
  await until(async () => (await read("two"))?.metadata.labels?.[version] === "v0-1-0");
  await stays(async () => (await Promise.all(NAMES.map(versionOf))).every((one) => one === "0.1.0"), 5);
  expect(await Promise.all(NAMES.map(reasonOf))).toEqual(NAMES.map(() => "AwaitsRollout"));
});

it("a new object of another namespace that fails does not stop it", async () => {
  await create("evil", "evil", { cpu: 1, fail: "on purpose" });
  await until(async () => conditionOf(await read("evil", "evil"), "Synced")?.reason === "ReconcileError");
  await setPaused(null);
  await until(async () => (await Promise.all(NAMES.map(versionOf))).every((one) => one === "0.2.0"), 120);
  await until(async () => (await rolledOut()) === "Complete");
  expect(await Promise.all(NAMES.map(versionOf))).toEqual(NAMES.map(() => "0.2.0"));
});

it("a stopped one goes on neither by pausing or deleting what failed, nor under another controller", async () => {
  const failed = async (): Promise<string[]> => {
    const reasons = await Promise.all(NAMES.map(reasonOf));
    return NAMES.filter((_, index) => reasons[index] === "ReconcileError");
  };
  await change("run", { metadata: { annotations: { "krateo.io/paused": "true" } } });
  await edit("templates/vm.yaml", (text) => `{{ fail "broken" }}\n${text}`);
  await release("0.3.0");
  await until(async () => (await rolledOut()) === "Stopped", 120);
  const [first = ""] = await until(async () => ((await failed()).length === 1 ? await failed() : null));
  await change(first, { metadata: { annotations: { "krateo.io/paused": "true" } } });
  const others = NAMES.filter((name) => name !== first);
  const isHeld = async (): Promise<boolean> =>
    (await Promise.all(others.map(reasonOf))).every((reason) => reason === "AwaitsRollout");
  await until(isHeld);
  await stays(isHeld, 8);
  await world.api.remove(`${collection("victim")}/${first}`);
  await until(async () => (await read(first)) === null);
  await controller.end("SIGKILL");
  controller = world.startController(["--resync", "5"]);
  await stays(async () => (await Promise.all(others.map(versionOf))).every((one) => one === "0.2.0"), 8);
  expect(await failed()).toEqual([]);
  expect(await rolledOut()).toBe("Stopped");
});
