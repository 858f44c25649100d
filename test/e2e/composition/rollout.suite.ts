import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import type { ClusterUnderTest, ControllerProcess } from "./cluster-under-test.ts";
import { clusterUnderTest, conditionOf, stays, until } from "./cluster-under-test.ts";

const COLLECTION = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/testvms";
const GOOGLE = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo";
const DEFINITION = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions/test-vm";
const NAMES = ["one", "two", "three", "four", "five"];
const PER_MINUTE = 2;

let world: ClusterUnderTest;
let controller: ControllerProcess;

const read = (name: string) => world.api.get<Resource>(`${COLLECTION}/${name}`);
const versionOf = async (name: string) => (await read(name))?.status?.["helmChartVersion"];

const annotate = (annotations: Record<string, string | null>) =>
  world.api.patch(DEFINITION, "merge", { metadata: { annotations } });

/** The names of objects with this version of the chart. */
async function on(version: string): Promise<string[]> {
  const versions = await Promise.all(NAMES.map(versionOf));
  return NAMES.filter((_, index) => versions[index] === version);
}

const rolledOut = async () => conditionOf(await world.api.get<Resource>(DEFINITION), "RolledOut");

async function makeReady(name: string): Promise<void> {
  const condition = { type: "Ready", status: "True", reason: "UpToDate", message: "" };
  const conditions = [{ ...condition, lastTransitionTime: new Date().toISOString() }];
  for (const path of [`testnetworks/${name}`, `testmachines/${name}`, `testdisks/${name}-0`])
    await world.api.patch(`${GOOGLE}/${path}/status`, "merge", { status: { conditions } });
  await until(async () => conditionOf(await read(name), "Ready")?.status === "True");
}

/** Gives the chart another version, and its template another text. */
async function release(version: string, change: (template: string) => string = (text) => text): Promise<void> {
  const [file, template] = [join(world.chart, "Chart.yaml"), join(world.chart, "templates/vm.yaml")];
  await writeFile(file, (await readFile(file, "utf8")).replace(/^version: .*$/m, `version: ${version}`));
  await writeFile(template, change(await readFile(template, "utf8")));
  await world.api.patch(DEFINITION, "merge", { spec: { chart: { version } } });
}

const BROKEN = '{{ fail "the new version is broken" }}\n';

beforeAll(async () => {
  world = await clusterUnderTest();
  controller = world.startController(["--resync", "5"]);
  await world.api.create(DEFINITION.slice(0, DEFINITION.lastIndexOf("/")), {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition" },
    ...{ metadata: { name: "test-vm", namespace: "demo" }, spec: { chart: { url: world.chart } } },
  });
  await until(async () => conditionOf(await world.api.get<Resource>(DEFINITION), "Ready")?.status === "True");
  for (const name of NAMES)
    await world.api.create<Resource>(COLLECTION, {
      ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "TestVm" },
      ...{ metadata: { name, namespace: "demo" }, spec: { cpu: 1 } },
    });
  for (const name of NAMES) await until(async () => (await versionOf(name)) === "0.1.0");
  for (const name of NAMES) await makeReady(name);
});

afterAll(async () => {
  await world.reset();
});

describe("a new version of a chart", () => {
  it("waits for all objects while its rollout is paused, and says so", async () => {
    await annotate({ "landfall.dev/rollout-paused": "change freeze" });
    await release("0.2.0");
    await until(async () => (await rolledOut())?.reason === "Paused");
    expect((await rolledOut())?.message).toContain("chart 0.2.0: 0 of 5 objects have it");
    expect((await rolledOut())?.message).toContain("change freeze");
    await until(async () => conditionOf(await read("one"), "Synced")?.reason === "AwaitsRollout");
    expect(conditionOf(await read("one"), "Ready")?.status).toBe("True");
    await stays(async () => (await on("0.1.0")).length === NAMES.length, 3);
    // Not even one that its user changes: the change is made with the installed chart.
    await world.api.patch(`${COLLECTION}/five`, "merge", { spec: { memory: 8 } });
    const machine = await until(async () => {
      const found = await world.api.get<Resource>(`${GOOGLE}/testmachines/five`);
      return found?.spec?.["memory"] === 8 && found;
    });
    expect(machine.spec).toMatchObject({ memory: 8 });
    expect(await versionOf("five")).toBe("0.1.0");
  });

  it("is given to as many objects in a minute as the definition says, and continues under another controller", async () => {
    await annotate({ "landfall.dev/rollout-per-minute": String(PER_MINUTE), "landfall.dev/rollout-paused": null });
    await until(async () => (await on("0.2.0")).length >= PER_MINUTE);
    await stays(async () => (await on("0.2.0")).length <= PER_MINUTE + 1, 8);
    await controller.end("SIGKILL");
    controller = world.startController(["--resync", "5"]);
    await annotate({ "landfall.dev/rollout-per-minute": "100" });
    await until(async () => (await on("0.2.0")).length === NAMES.length, 90);
    await until(async () => (await rolledOut())?.status === "True");
    expect(await rolledOut()).toMatchObject({ reason: "Complete" });
    const machine = await world.api.get<Resource>(`${GOOGLE}/testmachines/five`);
    expect(machine?.spec).toMatchObject({ memory: 8 });
  });

  it("stops at the first object that fails, and goes back with the definition", async () => {
    await release("0.3.0", (text) => BROKEN + text);
    const stopped = await until(async () => {
      const found = await rolledOut();
      const states = await Promise.all(NAMES.map(async (name) => (await read(name))?.status?.["conditions"]));
      expect([found, states]).toEqual([expect.objectContaining({ reason: "Stopped" }), expect.anything()]);
      return found;
    }, 150);
    expect(stopped.message).toMatch(
      /chart 0\.3\.0: 1 of 5 objects have it; the rollout stopped.*demo\/(one|two|three|four|five)/,
    );
    await stays(async () => (await on("0.2.0")).length === NAMES.length, 3);
    const synced = await Promise.all(NAMES.map(async (name) => conditionOf(await read(name), "Synced")?.reason));
    expect(synced.filter((reason) => reason === "ReconcileError")).toHaveLength(1);
    expect(synced.filter((reason) => reason === "AwaitsRollout")).toHaveLength(NAMES.length - 1);
    await release("0.2.0", (text) => text.replace(BROKEN, ""));
    await until(async () => {
      const reasons = await Promise.all(NAMES.map(async (name) => conditionOf(await read(name), "Synced")?.reason));
      return reasons.every((reason) => reason === "ReconcileSuccess");
    }, 120);
    await until(async () => (await on("0.2.0")).length === NAMES.length);
    await until(async () => (await rolledOut())?.reason === "Complete");
  });
});
