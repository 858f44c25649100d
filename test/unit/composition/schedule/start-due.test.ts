import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { Composition } from "../../../../src/composition/context/composition-context.ts";
import { startDue } from "../../../../src/composition/schedule/start-due.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const at = (text: string): number => Date.parse(text) / 1000;
const START = "2026-06-01T12:00:00Z";
const TICK_MS = 2;

/** Objects at an API server, watched by as many controllers as a test starts, on clocks that the test sets. */
function worldOf(...objects: Resource[]) {
  const clock = { nowSeconds: at(START) - 3600, elapsedMs: 0 };
  const stored = new Map(objects.map((object) => [object.metadata.name ?? "", object]));
  const events: string[] = [];
  const asked: string[] = [];
  let down = false;
  let refusing = false;
  const slow = { busy: 0, most: 0, gate: null as Promise<unknown> | null };
  const patch = async (path: string, _type: string, body: unknown): Promise<unknown> => {
    slow.busy += 1;
    slow.most = Math.max(slow.most, slow.busy);
    await slow.gate;
    slow.busy -= 1;
    return answer(path, body);
  };
  const answer = (path: string, body: unknown): Promise<unknown> => {
    const name = path.split("/").at(-1) ?? "";
    asked.push(name);
    const object = stored.get(name);
    const { resourceVersion } = (body as Resource).metadata;
    if (down || !object) return Promise.reject(new ApiError(0, { action: "PATCH", detail: "away" }));
    if (refusing) return Promise.reject(new ApiError(403, { action: "PATCH", detail: "denied" }));
    if (resourceVersion !== object.metadata.resourceVersion)
      return Promise.reject(new ApiError(409, { action: "PATCH", detail: "changed" }));
    const { "krateo.io/paused": _, ...annotations } = object.metadata.annotations ?? {};
    stored.set(name, { ...object, metadata: { ...object.metadata, annotations, resourceVersion: "2" } });
    return Promise.resolve({});
  };
  const list = (): Composition[] =>
    [...stored].map(([name, object]) => ({ key: `vms/demo/${name}`, object, path: apiPath`/vms/${name}` }));
  const start = () =>
    startDue({
      client: { patch } as unknown as KubeClient,
      ...{ list, log: pino({ level: "silent" }), everyMs: TICK_MS },
      record: ({ metadata }, { reason, message }) => events.push(`${metadata.name ?? ""} ${reason}: ${message}`),
      nowSeconds: () => clock.nowSeconds,
      elapsedMs: () => clock.elapsedMs,
    });
  const looks = () => sleep(10 * TICK_MS);
  const paused = (name: string) => stored.get(name)?.metadata.annotations?.["krateo.io/paused"] === "true";
  return {
    ...{ clock, stored, events, asked, slow, start, looks, paused },
    setDown: (value: boolean) => {
      down = value;
    },
    setRefusing: (value: boolean) => {
      refusing = value;
    },
    run() {
      const stop = start();
      onTestFinished(stop);
      return stop;
    },
  };
}

const held = (name: string, schedulingTime = START, annotations: Record<string, string> = {}): Resource => ({
  apiVersion: "a/v1",
  kind: "VmTemplate",
  metadata: {
    ...{ name, namespace: "demo", resourceVersion: "1" },
    annotations: { "krateo.io/paused": "true", "landfall.dev/decision": "{}", ...annotations },
  },
  spec: { schedulingTime },
});

it("removes the pause at the start, once, and not before", async () => {
  const world = worldOf(held("a"));
  world.run();
  world.clock.nowSeconds = at(START) - 1;
  await world.looks();
  expect(world.paused("a")).toBe(true);
  world.clock.nowSeconds = at(START);
  await world.looks();
  expect(world.paused("a")).toBe(false);
  expect(world.asked).toEqual(["a"]);
  expect(world.events).toEqual(["a Started: its start time has come; the object is resumed"]);
});

it.each([
  ["a step of the clock past the start", (start: number) => [start - 86_400, start + 30]],
  ["a step back, then the start", (start: number) => [start - 10, start - 90_000, start]],
  ["a step far ahead and back in between", (start: number) => [start - 7200, start - 600, start - 7200, start + 5]],
])("keeps a start over %s", async (_, times) => {
  const world = worldOf(held("a"));
  world.run();
  for (const nowSeconds of times(at(START))) {
    expect(world.paused("a")).toBe(true);
    world.clock.nowSeconds = nowSeconds;
    await world.looks();
  }
  expect(world.paused("a")).toBe(false);
  expect(world.asked).toHaveLength(1);
});

it("retries soon after a failure, even if the clock is set back an hour meanwhile", async () => {
  const world = worldOf(held("a", "2099-01-01T00:00:00Z", { "landfall.dev/start-now": "the customer waits" }));
  world.setDown(true);
  world.run();
  await world.looks();
  expect(world.asked).toEqual(["a"]);
  world.clock.nowSeconds -= 3600;
  world.setDown(false);
  world.clock.elapsedMs += 2000;
  await world.looks();
  expect(world.paused("a")).toBe(false);
  expect(world.events).toEqual(["a StartedNow: started before its planned time: the customer waits"]);
});

it("loses no start between two controllers, and starts nothing twice if both run", async () => {
  const world = worldOf(held("a"), held("b", "2026-06-01T12:20:00Z"));
  const stop = world.start();
  await world.looks();
  await stop();
  world.clock.nowSeconds = at(START) + 840;
  await world.looks();
  expect(world.paused("a")).toBe(true);
  world.run();
  world.run();
  await world.looks();
  expect(world.paused("a")).toBe(false);
  expect(world.paused("b")).toBe(true);
  expect(world.events).toEqual([`a StartedLate: started 14 min late: its planned start was ${START}`]);
  world.clock.nowSeconds = at(START) + 1200;
  world.clock.elapsedMs += 2000;
  await world.looks();
  expect(world.paused("b")).toBe(false);
  expect(world.events).toHaveLength(2);
});

it("tells a delay of seconds, and none of a start within ten seconds", async () => {
  const world = worldOf(held("a"), held("b", "2026-06-01T12:00:41Z"));
  world.clock.nowSeconds = at(START) + 51;
  world.run();
  await world.looks();
  expect(world.events).toEqual([
    `a StartedLate: started 51 s late: its planned start was ${START}`,
    "b Started: its start time has come; the object is resumed",
  ]);
});

it("warns if the run misses its deadline", async () => {
  const object = held("a");
  object.spec = { ...object.spec, duration: "2h", deadline: "2026-06-01T15:00:00Z" };
  const world = worldOf(object);
  world.clock.nowSeconds = at("2026-06-01T14:30:00Z");
  world.run();
  await world.looks();
  expect(world.paused("a")).toBe(false);
  expect(world.events).toEqual([
    "a REL_DEADLINE_MISSED: VmTemplate a starts at 2026-06-01T14:30:00Z; its run ends 1 h 30 min after its deadline " +
      "2026-06-01T15:00:00Z; delete the object if a late result is useless; find out why no controller ran at its start " +
      "[REL_DEADLINE_MISSED]",
  ]);
});

it("waits twice as long after each refusal, so that refused starts do not load the API server", async () => {
  const world = worldOf(held("a"));
  world.setRefusing(true);
  world.clock.nowSeconds = at(START);
  world.run();
  const attempts: number[] = [];
  for (let second = 0; second <= 70; second += 1) {
    world.clock.elapsedMs = second * 1000;
    const before = world.asked.length;
    await world.looks();
    if (world.asked.length > before) attempts.push(second);
  }
  expect(attempts).toEqual([0, 2, 6, 14, 30, 62]);
  world.setRefusing(false);
  world.clock.elapsedMs = 130_000;
  await world.looks();
  expect(world.paused("a")).toBe(false);
});

it("starts at most eight together, and lets the namespaces take turns", async () => {
  const many = Array.from({ length: 100 }, (_, number) => held(`a${number}`));
  const other = held("b");
  const world = worldOf(...many, { ...other, metadata: { ...other.metadata, namespace: "other" } });
  const gate = Promise.withResolvers<undefined>();
  world.slow.gate = gate.promise;
  world.clock.nowSeconds = at(START);
  world.run();
  await world.looks();
  expect(world.slow.most).toBe(5);
  gate.resolve(undefined);
  await world.looks();
  expect(world.asked.indexOf("b")).toBeLessThan(5);
  expect(world.asked).toHaveLength(101);
  expect(world.slow.most).toBeLessThanOrEqual(8);
});

it("waits after a conflict until the informer shows the changed object", async () => {
  const world = worldOf(held("a"));
  const stale = held("a");
  world.clock.nowSeconds = at(START);
  const changed = { ...stale, metadata: { ...stale.metadata, resourceVersion: "2" } };
  const asked: string[] = [];
  let shown = stale;
  const stop = startDue({
    client: {
      patch: (_path: string, _type: string, body: unknown) => {
        const { resourceVersion = "" } = (body as Resource).metadata;
        asked.push(resourceVersion);
        return resourceVersion === "2"
          ? Promise.resolve({})
          : Promise.reject(new ApiError(409, { action: "PATCH", detail: "changed" }));
      },
    } as unknown as KubeClient,
    list: () => [{ key: "vms/demo/a", object: shown, path: apiPath`/vms/a` }],
    ...{ log: pino({ level: "silent" }), everyMs: TICK_MS, record: () => undefined },
    nowSeconds: () => world.clock.nowSeconds,
    elapsedMs: () => world.clock.elapsedMs,
  });
  onTestFinished(stop);
  for (const second of [0, 2, 4, 30]) {
    world.clock.elapsedMs = second * 1000;
    await world.looks();
  }
  expect(asked).toEqual(["1"]);
  shown = changed;
  await world.looks();
  expect(asked).toEqual(["1", "2"]);
});
