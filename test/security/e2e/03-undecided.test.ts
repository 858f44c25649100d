import { createSecretKey, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import type { CompactDecision } from "../../../src/model/decision-annotation/compact-decision.ts";
import { signDecision } from "../../../src/model/decision-annotation/signature.ts";
import { inputsHash } from "../../../src/model/decision-annotation/still-holds.ts";
import {
  type ClusterUnderTest,
  conditionOf,
  startClusterUnderTest,
  stays,
  until,
} from "../../e2e/composition/cluster-under-test.ts";

const COLLECTION = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/vmtemplates";
const MACHINES = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo/testmachines";
const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";
const secret = randomBytes(32);
const key = createSecretKey(secret);

let world: ClusterUnderTest;

/** What admission would write on the object. */
function decisionFor(object: Resource): Record<string, string> {
  const written: CompactDecision["written"] = ["provider"];
  const compact = JSON.stringify({ inputs: inputsHash(object, written), written, placement: { provider: "gcp" } });
  return { "landfall.dev/decision": compact, "landfall.dev/seal": signDecision(key, object, compact) };
}

async function create(name: string, annotate: (object: Resource) => object): Promise<void> {
  const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" };
  const object = { ...about, metadata: { name, namespace: "demo" }, spec: { cpu: 2, memory: 2, provider: "gcp" } };
  await world.api.create(COLLECTION, { ...object, metadata: { ...object.metadata, annotations: annotate(object) } });
}

const machine = (name: string) => world.api.get<Resource>(`${MACHINES}/${name}`);
const synced = async (name: string) => conditionOf(await world.api.get<Resource>(`${COLLECTION}/${name}`), "Synced");

async function refused(name: string, why: RegExp): Promise<void> {
  await until(async () => {
    const message = (await synced(name))?.message ?? "";
    expect(message).toMatch(/\[REL_UNDECIDED\]$/);
    expect(message).toMatch(why);
    return true;
  });
}

beforeAll(async () => {
  world = await startClusterUnderTest();
  const file = join(world.chart, "Chart.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace("name: test-vm", "name: vm-template"));
  const keyFile = join(world.base, "seal.key");
  await writeFile(keyFile, secret);
  world.startController(["--resync", "1", "--signing-key", keyFile]);
  const about = { apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition" };
  const metadata = { name: "vm-template", namespace: "demo" };
  await world.api.create(DEFINITIONS, { ...about, metadata, spec: { chart: { url: world.chart } } });
  await until(async () => {
    const definition = await world.api.get<Resource>(`${DEFINITIONS}/vm-template`);
    return conditionOf(definition, "Ready")?.status === "True";
  });
});

afterAll(() => world.stop());

it("3: an object that admission did not decide is not installed, until it is decided", async () => {
  await create("undecided", () => ({}));
  await refused("undecided", /it has no decision with a valid signature/);
  await stays(async () => expect(await machine("undecided")).toBeNull(), 1.5);
  const object = await world.api.get<Resource>(`${COLLECTION}/undecided`);
  const annotations = decisionFor(object as Resource);
  await world.api.patch(`${COLLECTION}/undecided`, "merge", { metadata: { annotations } });
  await until(async () => machine("undecided"));
});

it("3: a decision of another key, or of another object, installs nothing", async () => {
  const forged = (object: Resource) => ({ ...decisionFor(object), "landfall.dev/seal": "A".repeat(22) });
  await create("forged", forged);
  await refused("forged", /it has no decision with a valid signature/);
  await create("copied", (object) => decisionFor({ ...object, metadata: { ...object.metadata, name: "other" } }));
  await refused("copied", /it has no decision with a valid signature/);
  expect([await machine("forged"), await machine("copied")]).toEqual([null, null]);
});

it("3: a change that admission did not see is not installed", async () => {
  await create("changed", decisionFor);
  await until(async () => machine("changed"));
  await world.api.patch(`${COLLECTION}/changed`, "merge", { spec: { cpu: 64 } });
  await refused("changed", /an input changed since its decision/);
  await world.api.patch(`${COLLECTION}/changed`, "merge", { spec: { cpu: 2, provider: "aws" } });
  await refused("changed", /spec\.provider is not the decided value/);
  expect((await machine("changed"))?.spec).toMatchObject({ machineType: "n2-custom-2" });
});
