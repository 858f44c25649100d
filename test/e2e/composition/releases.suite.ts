import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listRevisions } from "../../../src/composition/helm/release-storage.ts";
import type { Resource } from "../../../src/composition/types.ts";
import type { ClusterUnderTest, ControllerProcess } from "./cluster-under-test.ts";
import { clusterUnderTest, conditionOf, until } from "./cluster-under-test.ts";

const run = promisify(execFile);
const COLLECTION = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/testvms";
const GOOGLE = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo";
const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";
const RELEASE = "krateo.io/release-name";
const PAUSED = "krateo.io/paused";
const FLAGS = ["--resync", "2"];

let world: ClusterUnderTest;
let controller: ControllerProcess;

const pathOf = (name: string) => `${COLLECTION}/${name}`;
const read = (name: string) => world.api.get<Resource>(pathOf(name));
const machine = (name: string) => world.api.get<Resource>(`${GOOGLE}/testmachines/${name}`);
const label = (release: string) => ({ metadata: { labels: { [RELEASE]: release } } });
const derived = ({ metadata }: Resource) => `${metadata.name ?? ""}-${metadata.uid?.slice(0, 8) ?? ""}`;

async function create(name: string, metadata: object = {}, spec: object = { cpu: 1 }): Promise<Resource> {
  const body = { metadata: { ...metadata, name, namespace: "demo" }, spec };
  return world.api.create<Resource>(COLLECTION, {
    ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "TestVm" },
    ...body,
  });
}

async function revisionsOf(release: string) {
  return (await listRevisions(world.api, "demo", release)).map(({ revision, status }) => [revision, status]);
}

const installed = (name: string) =>
  until(async () => {
    const object = await read(name);
    expect(conditionOf(object, "Synced")).toMatchObject({ status: "True", reason: "ReconcileSuccess" });
    return object;
  });

async function remove(name: string) {
  await world.api.remove(pathOf(name));
  await until(async () => (await read(name)) === null);
}

async function restart(between: () => Promise<unknown>) {
  await controller.end("SIGKILL");
  await between();
  controller = world.startController(FLAGS);
}

const eventOf = (name: string, reason: string) =>
  until(async () => {
    const events = await world.api.get<{ items: Record<string, unknown>[] }>("/api/v1/namespaces/demo/events");
    const of = (event: Record<string, unknown>) => (event["involvedObject"] as { name: string }).name === name;
    return events?.items.find((event) => of(event) && event["reason"] === reason);
  });

/** As someone who installs by hand, or as Krateo does. */
const helmInstall = (release: string, global: object, more: string[] = []) =>
  run(world.helm, [
    ...["install", release, world.chart, "-n", "demo", "--kubeconfig", world.plane.kubeconfig],
    ...["--set", "cpu=1", "--set-json", `global=${JSON.stringify(global)}`, ...more],
  ]);

beforeAll(async () => {
  world = await clusterUnderTest();
  controller = world.startController(FLAGS);
  const metadata = { name: "test-vm", namespace: "demo" };
  const spec = { chart: { url: world.chart } };
  const about = { apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition" };
  await world.api.create(DEFINITIONS, { ...about, metadata, spec });
  await until(async () => {
    const definition = await world.api.get<Resource>(`${DEFINITIONS}/test-vm`);
    return conditionOf(definition, "Ready")?.status === "True";
  });
});

afterAll(async () => {
  await world.reset();
});

describe("the label of the release's name", () => {
  it("in a copy of an object is corrected: each has its own release, and is deleted alone", async () => {
    await create("away");
    const away = await installed("away");
    const { labels = {}, finalizers = [], annotations = {} } = away.metadata;
    await create("twin", { labels, finalizers, annotations });
    const twin = await installed("twin");
    expect(twin.metadata.labels?.[RELEASE]).toBe(derived(twin));
    expect(await eventOf("twin", "REL_RELEASE_TAKEN")).toMatchObject({
      type: "Warning",
      message: expect.stringContaining(`release ${derived(away)} belongs to TestVm demo/away`) as string,
    });
    const before = await machine("away");
    await remove("twin");
    expect(await machine("twin")).toBeNull();
    expect((await machine("away"))?.metadata.uid).toBe(before?.metadata.uid);
    expect(await revisionsOf(derived(away))).toEqual([[1, "deployed"]]);
    await remove("away");
    expect(await machine("away")).toBeNull();
  });

  it("is restored if someone changes it", async () => {
    await create("late");
    const release = derived(await installed("late"));
    await world.api.patch(pathOf("late"), "merge", label("renamed"));
    await eventOf("late", "REL_RELEASE_LABEL");
    expect((await read("late"))?.metadata.labels?.[RELEASE]).toBe(release);
    await restart(() => world.api.patch(pathOf("late"), "merge", label("late-12345678")));
    await until(async () => (await read("late"))?.metadata.labels?.[RELEASE] === release);
    expect(await revisionsOf(release)).toEqual([[1, "deployed"]]);
  });

  it("does not hide the release from the deletion", async () => {
    const release = derived(await installed("late"));
    await restart(async () => {
      await world.api.patch(pathOf("late"), "merge", label("renamed"));
      await world.api.remove(pathOf("late"));
    });
    await until(async () => (await read("late")) === null);
    expect(await eventOf("late", "Uninstalled")).toMatchObject({ message: `release ${release} is gone` });
    expect([await revisionsOf(release), await machine("late")]).toEqual([[], null]);
  });

  it("never adopts a foreign release", async () => {
    await helmInstall("shopdb", {});
    await create("shop", label("shopdb").metadata);
    const shop = await installed("shop");
    expect(shop.metadata.labels?.[RELEASE]).toBe(derived(shop));
    expect(await eventOf("shop", "REL_RELEASE_TAKEN")).toMatchObject({
      message: expect.stringContaining("Helm release shopdb belongs to no composition") as string,
    });
    await remove("shop");
    const finalizers = ["composition.krateo.io/finalizer"];
    await create("held", { ...label("shopdb").metadata, finalizers, annotations: { [PAUSED]: "true" } });
    await remove("held");
    expect(await revisionsOf("shopdb")).toEqual([[1, "deployed"]]);
    expect((await machine("shopdb"))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("finds the release of a restored object", async () => {
    await create("kept");
    const { metadata } = await installed("kept");
    const before = await machine("kept");
    await restart(async () => {
      await world.api.patch(pathOf("kept"), "merge", { metadata: { finalizers: null } });
      await remove("kept");
      await create("kept", { labels: metadata.labels, finalizers: metadata.finalizers });
    });
    const kept = await installed("kept");
    const release = metadata.labels?.[RELEASE] ?? "";
    expect(kept.metadata.uid).not.toBe(metadata.uid);
    expect(kept.metadata.labels?.[RELEASE]).toBe(release);
    expect((await machine("kept"))?.metadata.uid).toBe(before?.metadata.uid);
    // Nothing is rendered otherwise: the names at the provider stay.
    expect((await revisionsOf(release))[0]).toEqual([1, "deployed"]);
    await remove("kept");
    expect([await revisionsOf(release), await machine("kept")]).toEqual([[], null]);
  });

  it("adopts the release of an earlier object with the same name, once it is set", async () => {
    await create("left-over", { annotations: { "krateo.io/deletion-policy": "orphan" } });
    const release = derived(await installed("left-over"));
    const before = await machine("left-over");
    await remove("left-over");
    await create("left-over");
    await until(async () => {
      const message = conditionOf(await read("left-over"), "Synced")?.message ?? "";
      return (
        message.includes(`label this object ${RELEASE}=${release} to adopt`) &&
        message.includes("[REL_OBJECT_ORPHANED]")
      );
    });
    await world.api.patch(pathOf("left-over"), "merge", label(release));
    expect((await installed("left-over")).metadata.labels?.[RELEASE]).toBe(release);
    expect((await machine("left-over"))?.metadata.uid).toBe(before?.metadata.uid);
    await remove("left-over");
    expect(await machine("left-over")).toBeNull();
  });

  it("finds the release that Krateo installed for the object", async () => {
    const made = await create("vmp", { ...label("vmp-v85b9fc8").metadata, annotations: { [PAUSED]: "true" } });
    await helmInstall("vmp-v85b9fc8", { compositionId: made.metadata.uid, compositionName: "vmp" });
    await world.api.patch(pathOf("vmp"), "merge", { metadata: { annotations: { [PAUSED]: null } } });
    expect((await installed("vmp")).metadata.labels?.[RELEASE]).toBe("vmp-v85b9fc8");
    expect((await revisionsOf("vmp-v85b9fc8"))[0]).toEqual([2, "deployed"]);
    await restart(() => world.api.patch(pathOf("vmp"), "merge", label("renamed")));
    await until(async () => (await read("vmp"))?.metadata.labels?.[RELEASE] === "vmp-v85b9fc8");
    await remove("vmp");
    expect(await machine("vmp")).toBeNull();
  });
});

describe("a resource that two objects render", () => {
  const network = () => world.api.get<Resource>(`${GOOGLE}/testnetworks/shared`);
  const spec = { cpu: 1, networkName: "shared" };
  const failure = (name: string, code: string) =>
    until(async () => {
      const object = await read(name);
      const message = conditionOf(object, "Synced")?.message ?? "";
      expect(message).toContain(`[${code}]`);
      expect(conditionOf(object, "Ready")).toMatchObject({ status: "False", reason: "ReleaseFailed" });
      return message;
    });

  it("belongs to one of them, even if both are created at once; the other one names the owner", async () => {
    await Promise.all([create("left", {}, spec), create("right", {}, spec)]);
    await until(async () => (await network()) !== null);
    const winner = (await network())?.metadata.annotations?.["meta.helm.sh/release-name"] ?? "";
    const [first, second] = winner.startsWith("left-") ? (["left", "right"] as const) : (["right", "left"] as const);
    await installed(first);
    expect(await failure(second, "REL_OBJECT_TAKEN")).toBe(
      `TestNetwork shared already exists and belongs to TestVm demo/${first} (helm's release demo/${winner}); ` +
        "give this object another name, or another vmName if it has one: each resource belongs to one object [REL_OBJECT_TAKEN]",
    );
    expect(await machine(second)).toBeNull();
    await world.api.patch(pathOf(second), "merge", { spec: { networkName: "other" } });
    await installed(second);
    await world.api.patch(pathOf(second), "merge", { spec });
    await until(async () => conditionOf(await read(second), "Synced")?.message.includes("[REL_OBJECT_TAKEN]"));
    // Refused before anything changed: what it has runs on.
    expect(conditionOf(await read(second), "Ready")).toMatchObject({ reason: "Creating" });
    await remove(second);
    expect((await network())?.metadata.annotations?.["meta.helm.sh/release-name"]).toBe(winner);
    await remove(first);
    expect(await network()).toBeNull();
  });

  it("is taken back from a release that Landfall did not record, and goes with its object", async () => {
    await create("robbed", {}, spec);
    await installed("robbed");
    const release = (await read("robbed"))?.metadata.labels?.[RELEASE] ?? "";
    await helmInstall("thief", {}, ["--take-ownership", "--force-conflicts", "--set", "networkName=shared"]);
    await until(async () => (await network())?.metadata.annotations?.["meta.helm.sh/release-name"] === release);
    expect(conditionOf(await read("robbed"), "Synced")).toMatchObject({ status: "True" });
    await remove("robbed");
    expect([await machine("robbed"), await network()]).toEqual([null, null]);
  });
});

describe("a restart of the controller", () => {
  it.each([
    ["whose chart does not render", { fail: "boom" }],
    ["that the API server refuses", { refuse: true }],
  ])("does not hide what runs behind an upgrade %s", async (_, spec) => {
    const name = `runs-${Object.keys(spec).join()}`;
    await create(name);
    await installed(name);
    const condition = {
      type: "Ready",
      status: "True",
      reason: "UpToDate",
      lastTransitionTime: new Date().toISOString(),
    };
    for (const path of [`testmachines/${name}`, `testnetworks/${name}`, `testdisks/${name}-0`]) {
      await world.api.patch(`${GOOGLE}/${path}/status`, "merge", { status: { conditions: [condition] } });
    }
    await until(async () => conditionOf(await read(name), "Ready")?.status === "True");
    await world.api.patch(pathOf(name), "merge", { spec });
    const failed = () => until(async () => conditionOf(await read(name), "Synced")?.status === "False");
    await failed();
    await restart(() => Promise.resolve());
    const isTold = (line: Record<string, unknown>) =>
      line["msg"] === "reconcile failed" && line["key"] === `testvms/demo/${name}`;
    await until(() => Promise.resolve(controller.lines().some(isTold)));
    expect(conditionOf(await read(name), "Ready")).toMatchObject({ status: "True", reason: "Available" });
    await remove(name);
  });
});
