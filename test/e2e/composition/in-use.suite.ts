import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiError } from "../../../src/cluster/client/api-error.ts";
import { IN_USE_LABEL } from "../../../src/composition/keys.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { LandfallError } from "../../../src/errors.ts";
import { conditionsOf } from "../../../src/model/kubernetes.ts";
import { type ClusterUnderTest, clusterUnderTest, conditionOf, stays, until } from "./cluster-under-test.ts";

const CRD = "testvms.composition.krateo.io";
const CRD_PATH = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${CRD}`;
const definitionsIn = (namespace: string) =>
  `/apis/core.krateo.io/v1alpha1/namespaces/${namespace}/compositiondefinitions`;
const DEFINITION = `${definitionsIn("demo")}/test-vm`;
const OBJECTS = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/testvms";
const MACHINES = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo/testmachines";
const ALLOWED = { metadata: { annotations: { "landfall.dev/allow-deletion": "the test ends" } } };
const FORBIDDEN = { crd: "REL_KIND_IN_USE", definition: "REL_DEFINITION_IN_USE" } as const;

let world: ClusterUnderTest;

/** What kubectl says, and whether it fails. */
async function kubectl(...args: string[]): Promise<{ failed: boolean; output: string }> {
  const program = await world.plane.tool("kubectl");
  const env = { ...process.env, KUBECONFIG: world.plane.kubeconfig };
  return promisify(execFile)(program, args, { env }).then(
    ({ stdout }) => ({ failed: false, output: stdout }),
    (thrown: unknown) => ({ failed: true, output: (thrown as { stderr: string }).stderr }),
  );
}

const read = (path: string) => world.api.get<Resource>(path);
const create = (name: string) =>
  world.api.create<Resource>(OBJECTS, {
    ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "TestVm", metadata: { name } },
    spec: { cpu: 1 },
  });
const define = (namespace = "demo") =>
  world.api.create<Resource>(definitionsIn(namespace), {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition", metadata: { name: "test-vm" } },
    spec: { chart: { url: world.chart } },
  });

const says = (path: string, type: string, wanted: object): Promise<Resource> =>
  until(async () => {
    const object = await read(path);
    expect(conditionOf(object, type)).toMatchObject(wanted);
    return object;
  });
const served = (): Promise<Resource> => says(DEFINITION, "Ready", { status: "True" });
const installed = (name: string) => says(`${OBJECTS}/${name}`, "Synced", { reason: "ReconcileSuccess" });
const versionsOf = () =>
  Promise.all([CRD_PATH, DEFINITION].map(async (path) => (await read(path))?.metadata.resourceVersion));

/** Waits until CRD and definition are marked as in use, or as not in use. */
const marked = (inUse: boolean): Promise<true> =>
  until(async () => {
    expect((await read(CRD_PATH))?.metadata.labels?.[IN_USE_LABEL]).toBe(inUse ? "true" : undefined);
    expect(conditionOf(await read(DEFINITION), "InUse")?.status === "True").toBe(inUse);
    return true;
  });

async function removeObjects(...names: string[]): Promise<void> {
  for (const name of names) await world.api.remove(`${OBJECTS}/${name}`);
  await until(async () => (await world.api.get<{ items: unknown[] }>(OBJECTS))?.items.length === 0);
}

const crdLine = () => new LandfallError(FORBIDDEN.crd, { crd: CRD }).line;
const definitionLine = () => new LandfallError(FORBIDDEN.definition, { name: "test-vm" }).line;

beforeAll(async () => {
  world = await clusterUnderTest();
  world.startController();
  await define();
  await served();
});

afterAll(async () => {
  await world.reset();
});

describe("a kind with three objects", () => {
  beforeAll(async () => {
    await create("first");
    await marked(true);
  });

  afterAll(async () => {
    await removeObjects("first", "second", "third");
  });

  it("is marked with the first of them, and not written again with others", async () => {
    await installed("first");
    const before = await versionsOf();
    await Promise.all(["second", "third"].map(create));
    await Promise.all(["second", "third"].map(installed));
    await world.api.remove(`${OBJECTS}/third`);
    await stays(async () => {
      expect(await versionsOf()).toEqual(before);
    }, 11);
    await create("third");
  });

  it("keeps its CRD, and kubectl says why", async () => {
    const { failed, output } = await kubectl("delete", "crd", CRD);
    expect([failed, output]).toEqual([true, expect.stringContaining(`denied request: ${crdLine()}`)]);
    expect(output).toContain("Error from server (Forbidden)");
    const name = `metadata.name=${CRD}`;
    const all = await kubectl("delete", "--raw", `${CRD_PATH.replace(`/${CRD}`, "")}?fieldSelector=${name}`);
    expect([all.failed, all.output]).toEqual([true, expect.stringContaining("[REL_KIND_IN_USE]")]);
    expect((await read(CRD_PATH))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("keeps its definition, and kubectl says why", async () => {
    const { failed, output } = await kubectl("delete", "compositiondefinition", "test-vm", "-n", "demo");
    expect([failed, output]).toEqual([true, expect.stringContaining(`denied request: ${definitionLine()}`)]);
    const all = await kubectl("delete", "--raw", definitionsIn("demo"));
    expect([all.failed, all.output]).toEqual([true, expect.stringContaining("[REL_DEFINITION_IN_USE]")]);
    expect((await read(DEFINITION))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("keeps the CRDs that the chart installs, of its definitions and of Elemento", async () => {
    for (const crd of ["compositiondefinitions.core.krateo.io", "elementovms.elemento.landfall.dev"]) {
      const { failed, output } = await kubectl("delete", "crd", crd);
      const { line } = new LandfallError("REL_KIND_INSTALLED", { crd });
      expect([failed, output]).toEqual([true, expect.stringContaining(`denied request: ${line}`)]);
    }
    const other = ["delete", "crd", "placementreports.landfall.dev", "--dry-run=server"];
    expect(await kubectl(...other)).toMatchObject({ failed: false });
  });

  it("takes no blank for a reason", async () => {
    const blank = { metadata: { annotations: { "landfall.dev/allow-deletion": " " } } };
    for (const path of [CRD_PATH, DEFINITION]) {
      await world.api.patch(path, "merge", blank);
      await expect(world.api.remove(path)).rejects.toMatchObject({ status: 403 });
    }
  });

  it("is marked again when someone removes the mark", async () => {
    await world.api.patch(CRD_PATH, "merge", { metadata: { labels: { [IN_USE_LABEL]: null } } });
    const conditions = conditionsOf((await read(DEFINITION)) as Resource).filter(({ type }) => type !== "InUse");
    await world.api.patch(`${DEFINITION}/status`, "merge", { status: { conditions } });
    await marked(true);
  });
});

describe("a definition that is deleted", () => {
  it("goes if no object follows it, and what is created then says that nothing installs it", async () => {
    await marked(false);
    expect(await kubectl("delete", "compositiondefinition", "test-vm", "-n", "demo")).toMatchObject({ failed: false });
    await create("early");
    const { status } = await says(`${OBJECTS}/early`, "Synced", { status: "False", reason: "NoDefinition" });
    expect(JSON.stringify(status)).toContain("[REL_UNSERVED]");
    expect(conditionOf({ status } as Resource, "Ready")).toMatchObject({ status: "False", reason: "NoDefinition" });
  });

  it("serves the same objects at once when it is back", async () => {
    const { metadata } = await define();
    await Promise.all([served(), installed("early"), marked(true)]);
    await until(async () => {
      const form = await read("/api/v1/namespaces/demo/configmaps/testvms-v0-1-0-jsonschema-configmap");
      expect(form?.metadata).toMatchObject({ ownerReferences: [{ uid: metadata.uid }] });
      return true;
    });
  });

  it("for a recorded reason, leaves objects as they are, which can be deleted", async () => {
    await world.api.patch(DEFINITION, "merge", ALLOWED);
    expect(await kubectl("delete", "compositiondefinition", "test-vm", "-n", "demo")).toMatchObject({ failed: false });
    await says(`${OBJECTS}/early`, "Synced", { status: "False", reason: "NoDefinition" });
    expect(await read(`${MACHINES}/early`)).not.toBeNull();
    await expect(world.api.remove(CRD_PATH)).rejects.toMatchObject({ status: 403 });
    await removeObjects("early");
    expect(await read(`${MACHINES}/early`)).toBeNull();
    await define();
    await served();
  });

  it("goes with its namespace, whatever follows it", async () => {
    await world.api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "away" } });
    const path = `${definitionsIn("away")}/test-vm`;
    await define("away");
    await says(path, "Ready", { reason: "NamespaceNotAllowed" });
    const about = { type: "InUse", status: "True", reason: "ObjectsExist", message: "" };
    const conditions = [{ ...about, lastTransitionTime: new Date().toISOString() }];
    // What the controller would write if it used this namespace; it takes the condition back at its next look.
    const deleteMarked = async (): Promise<number> => {
      await world.api.patch(`${path}/status`, "merge", { status: { conditions } });
      return world.api.remove(path).then(
        () => 200,
        (thrown: unknown) => (thrown as ApiError).status,
      );
    };
    expect(await deleteMarked()).toBe(403);
    await world.api.remove("/api/v1/namespaces/away");
    await until(async () => (await deleteMarked()) === 200);
    expect(await read(path)).toBeNull();
  });
});

describe("a CRD that is deleted", () => {
  const uidNow = async (): Promise<string> => (await read(CRD_PATH))?.metadata.uid ?? "";
  const restored = (before: string): Promise<true> =>
    until(async () => {
      expect([before, ""]).not.toContain(await uidNow());
      return true;
    });

  it("is made again if its kind has no objects", async () => {
    await marked(false);
    const before = await uidNow();
    expect(await kubectl("delete", "crd", CRD)).toMatchObject({ failed: false });
    await restored(before);
    await served();
    await until(() => create("after"));
    await installed("after");
    await marked(true);
  });

  it("for a recorded reason, goes with its objects and what they run; its definition says so until it is there again", async () => {
    const before = await uidNow();
    await world.api.patch(`${MACHINES}/after`, "merge", { metadata: { finalizers: ["test.dev/hold"] } });
    await world.api.patch(CRD_PATH, "merge", ALLOWED);
    expect(await kubectl("delete", "crd", CRD, "--wait=false")).toMatchObject({ failed: false });
    const { line } = new LandfallError("REL_KIND_DELETED", { crd: CRD });
    await says(DEFINITION, "Ready", { status: "False", message: line });
    await until(async () => (await read(`${MACHINES}/after`))?.metadata.deletionTimestamp !== undefined);
    expect(await uidNow()).toBe(before);
    await world.api.patch(`${MACHINES}/after`, "merge", { metadata: { finalizers: [] } });
    await restored(before);
    await Promise.all([served(), marked(false)]);
    await until(() => create("anew"));
    await Promise.all([installed("anew"), marked(true)]);
    await removeObjects("anew");
  });
});
