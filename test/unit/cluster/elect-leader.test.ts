import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { electLeader } from "../../../src/cluster/elect-leader.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";

interface StoredLease extends KubernetesObject {
  spec: { holderIdentity: string; leaseTransitions: number; leaseDurationSeconds: number };
}

const EVERY_MS = 2;

/** An API server with one Lease, and a clock for all who want it. */
function worldOf() {
  let stored: StoredLease | null = null;
  let version = 0;
  const clock = { ms: 0 };
  const away = new Set<string>();
  const hanging = new Set<string>();
  const events: string[] = [];

  function clusterOf(identity: string): KubeClient {
    const call = async <T>(answer: () => T): Promise<T> => {
      await Promise.resolve();
      if (hanging.has(identity)) await new Promise(() => undefined);
      if (away.has(identity)) throw new ApiError(0, { action: "GET", detail: "away" });
      return answer();
    };
    const conflict = () => new ApiError(409, { action: "PUT", detail: "changed" });
    const put = (body: unknown): StoredLease => {
      const lease = body as StoredLease;
      version += 1;
      stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(version) } };
      return stored;
    };
    return {
      get: () => call(() => structuredClone(stored)),
      create: (_path: string, body: unknown) =>
        call(() => {
          if (stored !== null) throw conflict();
          return put(body);
        }),
      replace: (_path: string, body: unknown) =>
        call(() => {
          const { resourceVersion } = (body as StoredLease).metadata;
          if (resourceVersion !== stored?.metadata.resourceVersion) throw conflict();
          return put(body);
        }),
    } as unknown as KubeClient;
  }

  function join(identity: string, annotations = {}) {
    const lease = electLeader({
      ...{
        client: clusterOf(identity),
        namespace: "demo",
        name: "l",
        ...{ identity, annotations },
        leaseDurationMs: 15_000,
        retryPeriodMs: EVERY_MS,
      },
      ...{ nowMs: () => 0, elapsedMs: () => clock.ms, onFailure: () => undefined },
      onStoppedLeading: () => events.push(`${identity} lost`),
    });
    void lease.elected.then(() => events.push(`${identity} holds`));
    // release() waits for a request that hangs.
    onTestFinished(() => (hanging.has(identity) ? undefined : lease.release().catch(() => undefined)));
    return lease;
  }
  const looks = () => sleep(15 * EVERY_MS);
  return { clock, away, hanging, events, join, looks, spec: () => stored?.spec, metadata: () => stored?.metadata };
}

it("has the annotations of its holder", async () => {
  const world = worldOf();
  const first = world.join("a", { by: "a" });
  await world.looks();
  expect(world.metadata()?.annotations).toEqual({ by: "a" });
  await first.release();
  world.join("b");
  await world.looks();
  expect([world.spec()?.holderIdentity, world.metadata()?.annotations]).toEqual(["b", {}]);
});

it("is held by one of several, as long as it renews", async () => {
  const world = worldOf();
  for (const identity of ["a", "b", "c"]) world.join(identity);
  for (let round = 0; round < 5; round++) {
    await world.looks();
    world.clock.ms += 9000;
  }
  expect(world.events).toHaveLength(1);
  expect(world.spec()).toMatchObject({ leaseDurationSeconds: 15, leaseTransitions: 0 });
});

it("passes to the next one after 15 s without renewal, and not before; the holder stops earlier", async () => {
  const world = worldOf();
  world.join("a");
  await world.looks();
  world.join("b");
  await world.looks();
  world.away.add("a");
  // The other one sees the last sign of life before time goes on.
  await world.looks();
  world.clock.ms += 9999;
  await world.looks();
  expect(world.events).toEqual(["a holds"]);
  world.clock.ms += 1;
  await world.looks();
  expect(world.events).toEqual(["a holds", "a lost"]);
  world.clock.ms += 5000;
  await world.looks();
  expect(world.events).toEqual(["a holds", "a lost", "b holds"]);
  expect(world.spec()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
});

it("passes to the next one at once after a release", async () => {
  const world = worldOf();
  const first = world.join("a");
  await world.looks();
  world.join("b");
  await world.looks();
  await first.release();
  await world.looks();
  expect(world.events).toEqual(["a holds", "b holds"]);
});

it("is acquired again at once under the same identity", async () => {
  const world = worldOf();
  world.join("a");
  await world.looks();
  world.join("a");
  await world.looks();
  expect(world.events).toEqual(["a holds", "a holds"]);
  expect(world.spec()).toMatchObject({ leaseTransitions: 0 });
});

it("is given up by a holder whose request hangs, before another one can acquire it", async () => {
  const world = worldOf();
  world.join("a");
  await world.looks();
  world.join("b");
  await world.looks();
  world.hanging.add("a");
  await world.looks();
  world.clock.ms += 10_000;
  await world.looks();
  expect(world.events).toEqual(["a holds", "a lost"]);
  world.clock.ms += 5000;
  await world.looks();
  expect(world.events).toEqual(["a holds", "a lost", "b holds"]);
});
