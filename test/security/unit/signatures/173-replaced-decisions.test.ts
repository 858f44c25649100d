import { describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { isOwnDecision, noteDecision } from "../../../../src/composition/decision/own-decision.ts";
import { openBindings } from "../../../../src/composition/record/open-bindings.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { decisionEventOf } from "../../../../src/external-data/secret-event.ts";
import { verifyDecision } from "../../../../src/model/decision-annotation/signature.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { keys, openStore } from "../../../support/admission-store.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const bundle = await loadPolicy();
const PLACE = { provider: "gcp", schedulingLocation: "europe-west1", memory: 8 };

/** An API server with Secrets of Landfall's namespace. */
function secrets() {
  const stored = new Map<string, Resource>();
  let lists = 0;
  const page = () => ({
    apiVersion: "v1",
    kind: "SecretList",
    metadata: { resourceVersion: "1" },
    items: [...stored.values()],
  });
  const client = {
    get: (path: string) => {
      if (!path.endsWith("/secrets")) return Promise.resolve(stored.get(path) ?? null);
      lists += 1;
      return Promise.resolve(page());
    },
    create: (path: string, one: Resource) =>
      Promise.resolve(void stored.set(`${path}/${one.metadata.name ?? ""}`, one)),
    replace: (path: string, one: Resource) => Promise.resolve(void stored.set(path, one)),
  };
  const open = () =>
    openBindings({
      client: client as unknown as KubeClient,
      systemNamespace: "landfall-system",
      nowSeconds: () => NOW,
    });
  return { open, stored, lists: () => lists };
}

/** A controller that begins now, with what is stored. */
function controller(cluster: ReturnType<typeof secrets>) {
  const records = { read: () => Promise.resolve(null) };
  const emergencies = () => Promise.resolve([]);
  const context = { keys: () => keys, bindings: cluster.open(), records, emergencies } as unknown as CompositionContext;
  const isOwn = (object: WorkloadObject): Promise<boolean> => {
    const verified = verifyDecision(keys, object);
    if (verified === null) throw new TypeError("no valid decision");
    return isOwnDecision(context, object as Resource, verified);
  };
  return { isOwn, note: (object: WorkloadObject) => noteDecision(context, object as Resource) };
}

/** An object that asked for 8 vCPU, then for 2, and another one that took what it gave up. */
function replaced() {
  const store = openStore(bundle, { "landfall.dev/quota-vcpus": "10" });
  const asked = (cpu: number, name: string) => vm({ ...PLACE, cpu, duration: "1h", whenDone: "delete" }, { name });
  const first = store.create(asked(2, "x")).object;
  const resized = (before: WorkloadObject, cpu: number): WorkloadObject => {
    const { allowed, message, object } = store.update(before, { ...before, spec: { ...before.spec, cpu } });
    expect([allowed, message]).toEqual([true, ""]);
    store.see(object);
    return object;
  };
  const large = resized(first, 8);
  const small = resized(large, 2);
  expect(store.create(asked(8, "y")).allowed).toBe(true);
  return { ...store, first, large, small };
}

describe("173: a decision that was replaced, and is put back while no webhook is called", () => {
  it("is not installed, also after the controller began again", async () => {
    const { first, large, small } = replaced();
    const cluster = secrets();
    const { isOwn, note } = controller(cluster);
    for (const one of [first, large, small]) {
      await note(one);
      expect(await isOwn(one)).toBe(true);
    }
    for (const { isOwn: isOwnNow } of [controller(cluster), { isOwn }]) {
      expect(await isOwnNow(small)).toBe(true);
      expect(await isOwnNow(large)).toBe(false);
      expect(await isOwnNow(first)).toBe(false);
    }
    // What is put back does not become the latest.
    await note(large);
    expect(await controller(cluster).isOwn(large)).toBe(false);
  });

  it("is decided again in full by the webhook that is there again", async () => {
    const { large, small, clusterData, update } = replaced();
    const cluster = secrets();
    await controller(cluster).note(small);
    for (const secret of cluster.stored.values()) {
      const event = decisionEventOf(secret, false);
      expect(event).toMatchObject({ type: "binding", id: small.metadata.uid });
      if (event !== null) clusterData.apply(event);
    }
    const tagged = { ...large, spec: { ...large.spec, tags: { a: "b" } } };
    expect(update(large, tagged).message).toContain("POL_QUOTA");
    const back = update(large, { ...large, spec: { ...large.spec, cpu: 2, instanceType: undefined } });
    expect([back.allowed, back.message]).toEqual([true, ""]);
    // The latest one is not touched.
    expect(update(small, { ...small, spec: { ...small.spec, tags: { a: "b" } } }).allowed).toBe(true);
  });

  it("costs one Secret for objects that were decided once", async () => {
    const { first } = replaced();
    const cluster = secrets();
    const { isOwn, note } = controller(cluster);
    await note(first);
    expect(await isOwn(first)).toBe(true);
    expect(await isOwn(first)).toBe(true);
    expect([cluster.lists(), cluster.stored.size]).toEqual([1, 1]);
  });
});
