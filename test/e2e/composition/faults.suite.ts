import { chmod, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import type { ClusterUnderTest, ControllerProcess } from "./cluster-under-test.ts";
import { clusterUnderTest, conditionOf, until } from "./cluster-under-test.ts";

const COLLECTION = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/testvms";
const GOOGLE = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo";
const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";
/** A slow uninstall on a busy machine takes less. */
const TIMEOUT_SECONDS = 10;
/** Seconds that a slow uninstall takes. */
const SLOW_SECONDS = 2;
/** More than the workers of a namespace. */
const MANY = 42;
/** Without lanes, ten deletions end before an object gets a worker. */
const LEFT = 33;

let world: ClusterUnderTest;
let controller: ControllerProcess;
/** Helm, except that it hangs for objects with this in their name, and removes others slowly. */
let program: string;

const read = (name: string) => world.api.get<Resource>(`${COLLECTION}/${name}`);
const remove = (name: string) => world.api.remove(`${COLLECTION}/${name}`);

const create = (name: string): Promise<Resource> =>
  world.api.create<Resource>(COLLECTION, {
    ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "TestVm" },
    ...{ metadata: { name, namespace: "demo" }, spec: { cpu: 1 } },
  });

const installed = (name: string, seconds = 60) =>
  until(async () => conditionOf(await read(name), "Synced")?.reason === "ReconcileSuccess", seconds);

const eventOf = (name: string, reason: string) =>
  until(async () => {
    const events = await world.api.get<{ items: Record<string, unknown>[] }>("/api/v1/namespaces/demo/events");
    const of = (event: Record<string, unknown>) => (event["involvedObject"] as { name: string }).name === name;
    return events?.items.find((event) => of(event) && event["reason"] === reason);
  });

/** The resources of an object report that they are ready. */
async function reportReady(name: string): Promise<void> {
  const condition = { type: "Ready", status: "True", reason: "UpToDate", message: "" };
  const conditions = [{ ...condition, lastTransitionTime: new Date().toISOString() }];
  for (const path of [`testnetworks/${name}`, `testmachines/${name}`, `testdisks/${name}-0`])
    await world.api.patch(`${GOOGLE}/${path}/status`, "merge", { status: { conditions } });
}

beforeAll(async () => {
  world = await clusterUnderTest();
  program = join(world.base, "helm-with-faults");
  const script = `#!/bin/sh
case "$1 $2" in
  "install hangs"*) sleep 300 & sleep 300 ;;
  "uninstall slow"*) sleep ${String(SLOW_SECONDS)} ;;
esac
exec ${world.helm} "$@"
`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  controller = world.startController(["--helm", program, "--helm-timeout", String(TIMEOUT_SECONDS), "--workers", "4"]);
  await world.api.create(DEFINITIONS, {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition" },
    ...{ metadata: { name: "test-vm", namespace: "demo" }, spec: { chart: { url: world.chart } } },
  });
  await until(
    async () => conditionOf(await world.api.get<Resource>(`${DEFINITIONS}/test-vm`), "Ready")?.status === "True",
  );
});

afterAll(async () => {
  await world.reset();
});

describe("a helm that hangs", () => {
  it("is ended at its limit, told by a condition and an Event, and blocks no other object", async () => {
    // More of them than there are workers.
    const hanging = ["hangs-a", "hangs-b", "hangs-c", "hangs-d", "hangs-e"];
    for (const name of hanging) await create(name);
    await create("beside");
    await installed("beside", 3 * TIMEOUT_SECONDS + 20);
    const event = await eventOf("hangs-a", "REL_HELM");
    expect(event["message"]).toContain(`helm was ended after ${String(TIMEOUT_SECONDS)} s`);
    const synced = await until(async () => conditionOf(await read("hangs-a"), "Synced"));
    expect(synced).toMatchObject({ status: "False", reason: "ReconcileError" });
    expect(synced.message).toContain(`helm was ended after ${String(TIMEOUT_SECONDS)} s`);
    for (const name of [...hanging, "beside"]) await remove(name);
    await until(async () => (await Promise.all(hanging.map(read))).every((one) => one === null));
  });
});

describe("a helm that is missing", () => {
  it("is told by an Event and the conditions of an object that is being deleted, which goes when it is back", async () => {
    await create("stays");
    await installed("stays");
    await rename(program, `${program}.away`);
    await remove("stays");
    expect((await eventOf("stays", "DeletionFailed"))["message"]).toMatch(/helm-with-faults.*ENOENT.*\[TOOL_FAILED\]/s);
    const object = await until(async () => {
      const found = await read("stays");
      return conditionOf(found, "Ready")?.reason === "Deleting" && found;
    });
    expect(conditionOf(object, "Synced")).toMatchObject({ status: "False", reason: "ReconcileError" });
    // The controller deletes by its record what helm would, so nothing waits for that.
    expect(await world.api.get(`${GOOGLE}/testmachines/stays`)).toBeNull();
    await rename(`${program}.away`, program);
    await until(async () => (await read("stays")) === null, 90);
    expect(await world.api.get(`${GOOGLE}/testmachines/stays`)).toBeNull();
  });
});

describe("many deletions", () => {
  it("hold up neither the status of an object nor the installation of another in the same namespace", async () => {
    const many = Array.from({ length: MANY }, (_, index) => `slow-${String(index)}`);
    await Promise.all(many.map(create));
    await create("watched");
    for (const name of [...many, "watched"]) await installed(name);
    await Promise.all(many.map(remove));
    // The first ones are underway.
    await until(async () => (await Promise.all(many.map(read))).some((one) => one === null));
    const left = async (): Promise<number> => (await Promise.all(many.map(read))).filter((one) => one !== null).length;
    const waits = (MANY * SLOW_SECONDS) / 4 / 2;
    const began = performance.now();
    await reportReady("watched");
    await until(async () => conditionOf(await read("watched"), "Ready")?.status === "True", waits);
    expect(await left()).toBeGreaterThan(LEFT);
    const shownMs = performance.now() - began;
    const created = performance.now();
    await create("late");
    await installed("late", waits);
    const installedMs = performance.now() - created;
    process.stdout.write(
      `while ${String(MANY)} are deleted: status after ${shownMs.toFixed(0)} ms, installed after ${installedMs.toFixed(0)} ms\n`,
    );
    expect(await left()).toBeGreaterThan(0);
    await until(async () => (await left()) === 0, 120);
    const lines = controller.lines().filter(({ msg, verb }) => msg === "helm" && verb === "uninstall");
    const slow = lines.filter(({ release }) => String(release).startsWith("slow-"));
    expect(slow.length).toBeGreaterThanOrEqual(MANY);
    // A call's own time, whatever it waited for its slot before.
    const waited = slow.toSorted((one, other) => Number(other["waitedMs"]) - Number(one["waitedMs"]))[0] ?? {};
    expect(Number(waited["waitedMs"])).toBeGreaterThan(SLOW_SECONDS * 1000);
    expect(Number(waited["ms"])).toBeLessThan(Number(waited["waitedMs"]));
  });
});
