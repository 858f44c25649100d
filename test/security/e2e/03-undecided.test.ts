import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Resource } from "../../../src/composition/types.ts";
import type { CompactDecision } from "../../../src/model/decision-annotation/compact-decision.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";
import { makeKey } from "../../../src/keys/key-entries.ts";
import { writeKeyFile } from "../../../src/keys/key-files.ts";
import { openKeySecret } from "../../../src/keys/key-secret.ts";
import { type SignatureClaim, signDecision } from "../../../src/model/decision-annotation/signature.ts";
import { inputsHash } from "../../../src/model/decision-annotation/still-holds.ts";
import {
  type ClusterUnderTest,
  conditionOf,
  startClusterUnderTest,
  stays,
  until,
} from "../../e2e/composition/cluster-under-test.ts";
import { nowSeconds } from "../../../src/model/time.ts";

const COLLECTION = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/vmtemplates";
const MACHINES = "/apis/test.cnrm.cloud.google.com/v1beta1/namespaces/demo/testmachines";
const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";
/** With the defaults of the chart: the API server sets them before admission. */
const SPEC = { cpu: 2, memory: 2, disks: 1, provider: "gcp", schedulingLocation: "europe-west1" };
const secret = randomBytes(32);
const keys = ringOf(secret);

let world: ClusterUnderTest;
/** Of the signing keys. */
let folder: string;

const claimNow = (): SignatureClaim => ({ use: "create", at: nowSeconds(), id: randomBytes(16).toString("hex") });

/** What admission would write on the object. */
function decisionFor(object: Resource, claim = claimNow()): Record<string, string> {
  const written: CompactDecision["written"] = ["provider"];
  const placement = { provider: "gcp", region: "europe-west1" };
  const compact = JSON.stringify({ inputs: inputsHash(object, written), written, placement });
  return { "landfall.dev/decision": compact, "landfall.dev/seal": signDecision(keys, object, compact, claim) };
}

async function create(name: string, annotate: (object: Resource) => object): Promise<void> {
  const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" };
  const object = { ...about, metadata: { name, namespace: "demo" }, spec: SPEC };
  await world.api.create(COLLECTION, { ...object, metadata: { ...object.metadata, annotations: annotate(object) } });
}

const machine = (name: string) => world.api.get<Resource>(`${MACHINES}/${name}`);
const synced = async (name: string) => conditionOf(await world.api.get<Resource>(`${COLLECTION}/${name}`), "Synced");

async function refused(name: string, why: RegExp, code = "REL_UNDECIDED"): Promise<void> {
  await until(async () => {
    const message = (await synced(name))?.message ?? "";
    expect(message.endsWith(`[${code}]`)).toBe(true);
    expect(message).toMatch(why);
    return true;
  });
}

beforeAll(async () => {
  world = await startClusterUnderTest();
  const file = join(world.chart, "Chart.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace("name: test-vm", "name: vm-template"));
  folder = join(world.base, "keys");
  await writeKeyFile(folder, "seal.key", secret);
  world.startController(["--resync", "1", "--signing-key", folder]);
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
  await create("changed", (object) => decisionFor(object));
  await until(async () => machine("changed"));
  await world.api.patch(`${COLLECTION}/changed`, "merge", { spec: { cpu: 64 } });
  await refused("changed", /an input changed since its decision/);
  await world.api.patch(`${COLLECTION}/changed`, "merge", { spec: { cpu: 2, provider: "aws" } });
  await refused("changed", /spec\.provider is not the decided value/);
  expect((await machine("changed"))?.spec).toMatchObject({ machineType: "n2-custom-2" });
});

it("9: a field that no decision depends on, changed without the webhook, is not installed until it is put back", async () => {
  await create("whole", (object) => decisionFor(object));
  await until(async () => (await synced("whole"))?.status === "True");
  const before = (await machine("whole"))?.spec;
  for (const change of [{ tags: { team: "b" } }, { networkName: "other" }]) {
    await world.api.patch(`${COLLECTION}/whole`, "merge", { spec: change });
    await refused("whole", /its spec changed after admission accepted it.+was not called/, "REL_SPEC_CHANGED");
    await stays(async () => expect((await machine("whole"))?.spec).toEqual(before), 1.5);
    const undo = Object.fromEntries(Object.keys(change).map((field) => [field, null]));
    await world.api.patch(`${COLLECTION}/whole`, "merge", { spec: undo });
    await until(async () => (await synced("whole"))?.status === "True");
  }
  await world.api.patch(`${COLLECTION}/whole`, "merge", { spec: { tags: { team: "b" } } });
  await refused("whole", /its spec changed/, "REL_SPEC_CHANGED");
  const annotations = decisionFor((await world.api.get<Resource>(`${COLLECTION}/whole`)) as Resource);
  await world.api.patch(`${COLLECTION}/whole`, "merge", { metadata: { annotations } });
  await until(async () => (await synced("whole"))?.status === "True");
});

const SECRETS = "/api/v1/namespaces/landfall-system/secrets";
const read = (name: string) => world.api.get<Resource>(`${COLLECTION}/${name}`);
const annotationsOf = async (name: string): Promise<Record<string, string>> =>
  (await read(name))?.metadata.annotations ?? {};

async function recordsOf(uid = ""): Promise<Resource[]> {
  const list = await world.api.get<{ items: Resource[] }>(`${SECRETS}?labelSelector=landfall.dev/composition=${uid}`);
  return list?.items ?? [];
}

async function removed(name: string): Promise<void> {
  await world.api.remove(`${COLLECTION}/${name}`);
  await until(async () => (await read(name)) === null);
}

/** Signed for a generated name, as all copies of it are. */
function generated(claim: SignatureClaim) {
  return async (name: string): Promise<void> => {
    const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" };
    const unnamed = { ...about, metadata: { generateName: "gen-", namespace: "demo" }, spec: SPEC };
    const annotations = decisionFor(unnamed, claim);
    await world.api.create(COLLECTION, { ...unnamed, metadata: { ...unnamed.metadata, name, annotations } });
  };
}

describe("9: a decision that the webhook did not see replayed", () => {
  it("counts for the first of two objects with one nonce, however late the controller looks", async () => {
    const claim = claimNow();
    const copy = generated(claim);
    await copy("gen-one22");
    await until(async () => machine("gen-one22"));
    await copy("gen-two22");
    await refused("gen-two22", /its decision [0-9a-f]{8} is another object's, and the webhook did not/, "REL_REPLAYED");
    expect(await machine("gen-two22")).toBeNull();
    const binding = await world.api.get<Resource>(`${SECRETS}/landfall.decision.${claim.id}`);
    const uid = (await read("gen-one22"))?.metadata.uid;
    expect(binding?.metadata.annotations).toEqual({ "landfall.dev/bound-uid": uid });
    // Asked in a dry run: no webhook answers here.
    expect(await annotationsOf("gen-two22")).not.toHaveProperty("landfall.dev/reevaluate");
    await removed("gen-one22");
    // The nonce stays used while an object has it.
    await stays(async () => expect(await machine("gen-two22")).toBeNull(), 2);
  });

  it("counts only for objects that were created when it was signed", async () => {
    for (const [name, seconds] of [
      ["past", -301],
      ["ahead", 301],
    ] as const) {
      const claim = { ...claimNow(), at: nowSeconds() + seconds };
      await create(name, (object) => decisionFor(object, claim));
      await refused(name, /is another object's/, "REL_REPLAYED");
      expect(await machine(name)).toBeNull();
    }
  });

  it("does not count if it was signed in a dry run, or for another uid", async () => {
    await create("preview", (object) => decisionFor(object, { ...claimNow(), use: "preview" }));
    await create("other-uid", (object) => decisionFor(object, { ...claimNow(), use: "uid", id: randomUUID() }));
    for (const name of ["preview", "other-uid"]) await refused(name, /is another object's/, "REL_REPLAYED");
    expect([await machine("preview"), await machine("other-uid")]).toEqual([null, null]);
  });

  it("counts for a restored object whose release is there, and not for one whose release is gone", async () => {
    await create("restored", (object) => decisionFor(object));
    await until(async () => (await synced("restored"))?.status === "True");
    const made = await machine("restored");
    const annotations = await annotationsOf("restored");
    const { labels = {}, uid } = (await read("restored"))?.metadata ?? {};
    // A paused object does not get its finalizer back before it is deleted.
    const paused = { annotations: { "krateo.io/paused": "true" } };
    await world.api.patch(`${COLLECTION}/restored`, "merge", { metadata: paused });
    await until(async () => JSON.stringify((await read("restored"))?.status).includes("ReconcilePaused"));
    await world.api.patch(`${COLLECTION}/restored`, "merge", { metadata: { finalizers: null } });
    await removed("restored");
    const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" };
    const metadataOf = { name: "restored", namespace: "demo", annotations, labels };
    const backup = { ...about, metadata: metadataOf, spec: SPEC };
    const { metadata } = await world.api.create<Resource>(COLLECTION, backup);
    expect(metadata.uid).not.toBe(uid);
    await until(async () => {
      const [record] = await recordsOf(metadata.uid);
      return record !== undefined && (await synced("restored"))?.status === "True";
    });
    expect((await machine("restored"))?.metadata.uid).toBe(made?.metadata.uid);
    await removed("restored");
    await until(async () => (await machine("restored")) === null);
    await world.api.create(COLLECTION, backup);
    await refused("restored", /is another object's/, "REL_REPLAYED");
    expect(await machine("restored")).toBeNull();
  });

  it("of version 0.1.0 counts once, for an object that is older than the controller of this version", async () => {
    const legacy = (object: Resource): Record<string, string> => {
      const annotations = decisionFor(object);
      const bound = [object.kind, "demo", object.metadata.name, annotations["landfall.dev/decision"]].join("\n");
      const signature = createHmac("sha256", secret).update(bound).digest("base64url").slice(0, 22);
      return { ...annotations, "landfall.dev/seal": signature };
    };
    await create("legacy", legacy);
    await until(async () => machine("legacy"));
    const annotations = await annotationsOf("legacy");
    await removed("legacy");
    await create("legacy", () => annotations);
    await refused("legacy", /is another object's/, "REL_REPLAYED");
  });

  it("is replaced by one that is signed for the object's uid", async () => {
    const object = (await read("gen-two22")) as Resource;
    const annotations = decisionFor(object, { use: "uid", at: nowSeconds(), id: object.metadata.uid ?? "" });
    await world.api.patch(`${COLLECTION}/gen-two22`, "merge", { metadata: { annotations } });
    expect(await until(async () => machine("gen-two22"))).not.toBeNull();
  });
});

describe("16: a signing key", () => {
  const landfall = async (...args: string[]): Promise<string> => {
    const argv = ["src/cli/main.ts", "keys", ...args];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv);
    return stdout + stderr;
  };
  /** Of a machine that is not being deleted. */
  const uidOf = async (name: string): Promise<string | undefined> => {
    const { uid, deletionTimestamp } = (await machine(name))?.metadata ?? {};
    return deletionTimestamp === undefined ? uid : undefined;
  };
  const messageOf = async (reason: string): Promise<string | undefined> => {
    const events = await world.api.get<{ items: Record<string, string>[] }>("/api/v1/namespaces/demo/events");
    return events?.items.find((event) => event["reason"] === reason)?.["message"];
  };
  const poke = (name: string) =>
    world.api.patch(`${COLLECTION}/${name}`, "merge", { metadata: { labels: { poked: randomUUID().slice(0, 8) } } });

  it("is rotated while the controller runs, and a lost one moves and removes nothing", async () => {
    await create("kept", (object) => decisionFor(object));
    await until(async () => (await synced("kept"))?.status === "True");
    const uid = await uidOf("kept");
    const added = makeKey(nowSeconds() - 120);
    await writeKeyFile(folder, added.name, added.bytes);
    await rm(join(folder, "seal.key"));
    await until(async () => {
      await poke("kept");
      const message = (await synced("kept"))?.message ?? "";
      return message.includes(`key ${keys[0].id}, which signed its decision`) && message.endsWith("[REL_KEY_LOST]");
    });
    expect(await uidOf("kept")).toBe(uid);
    const kubeconfig = ["--kubeconfig", world.plane.kubeconfig];
    await openKeySecret(world.api, "landfall-system").create([added]);
    expect(await landfall("list", ...kubeconfig)).toMatch(
      new RegExp(`^${keys[0].id}  by a key that is not there`, "m"),
    );
    const [json, yaml] = await Promise.all(["json", "yaml"].map((one) => landfall("list", ...kubeconfig, "-o", one)));
    expect(parse(yaml ?? "")).toEqual(JSON.parse(json ?? ""));
    expect(JSON.parse(json ?? "")).toContainEqual({
      ...{ id: keys[0].id, made: null, present: false, signs: false },
      signatures: expect.any(Number) as number,
    });
    const without = await landfall("resign", "--reason", "a test", ...kubeconfig);
    expect(without).toContain(`skipped VmTemplate demo/kept: key ${keys[0].id} is not there`);
    const signed = await landfall("resign", "--lost", keys[0].id, "--reason", "a test", ...kubeconfig);
    expect(signed).toContain(`signed VmTemplate demo/kept, before by key ${keys[0].id}`);
    await until(async () => (await synced("kept"))?.status === "True");
    expect(await uidOf("kept")).toBe(uid);
    const [, name = ""] = /ConfigMap landfall-system\/(\S+)/.exec(signed) ?? [];
    const record = await world.api.get<Resource>(`/api/v1/namespaces/landfall-system/configmaps/${name}`);
    expect(record?.data).toMatchObject({
      reason: "a test",
      lost: keys[0].id,
      user: expect.stringMatching(/./) as string,
    });
    expect(String(record?.data?.["objects"])).toContain('"name":"kept"');
    expect(await messageOf("DecisionSigned")).toMatch(/instead of [0-9a-f]{8}, by .+: a test$/);
    await removed("kept");
    await until(async () => (await machine("kept")) === null);
  });
});
