import { expect, test } from "vitest";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { checkEnd, falseAlarm } from "../../../src/local/examples/check-end.ts";

const OBJECT = {
  apiVersion: "composition.krateo.io/v0-2-0",
  kind: "VmTemplate",
  metadata: { name: "job", namespace: "demo", uid: "u1", labels: { "krateo.io/release-name": "job-1" } },
};
const GROUP = "compute.cnrm.cloud.google.com";

interface World {
  /** `[release, currentStatus]` of each machine at the provider. */
  machines?: [string, string][];
  /** `[uid, reason]` */
  events?: [string, string][];
}

/** A client of an API server that serves one kind of machine. */
function clientOf({ machines = [], events = [] }: World): KubeClient {
  const items = machines.map(([release, currentStatus], index) => ({
    metadata: { name: `m${String(index)}`, annotations: { "meta.helm.sh/release-name": release } },
    status: { currentStatus },
  }));
  const answers: Record<string, unknown> = {
    "/apis": { groups: [{ name: "apps" }, { name: GROUP }] },
    [`/apis/${GROUP}`]: { versions: [{ groupVersion: `${GROUP}/v1beta1` }] },
    [`/apis/${GROUP}/v1beta1`]: {
      resources: [{ kind: "ComputeInstance", name: "computeinstances", namespaced: true }],
    },
    [`/apis/${GROUP}/v1beta1/namespaces/demo/computeinstances`]: {
      ...{ apiVersion: `${GROUP}/v1beta1`, kind: "ComputeInstanceList", items, metadata: {} },
    },
    "/api/v1/namespaces/demo/events": {
      items: events.map(([uid, reason]) => ({ reason, involvedObject: { uid } })),
    },
  };
  return { get: (path: string) => Promise.resolve(answers[path] ?? null) } as unknown as KubeClient;
}

const check = (world: World, outcome: string, events: string[] = []) =>
  checkEnd(clientOf(world), OBJECT, { outcome, events }, { stop: 0.3, events: 0.3 });

test("a run that is deleted leaves nothing, whatever its own status says", async () => {
  expect(await check({}, "Deleted")).toBeNull();
  expect(await check({ machines: [["another", "RUNNING"]] }, "Deleted")).toBeNull();
  expect(await check({ machines: [["job-1", "TERMINATED"]] }, "Deleted")).toBe("1 resources are left");
});

test("the machine of a run that is kept does not run", async () => {
  expect(await check({ machines: [["job-1", "TERMINATED"]] }, "Completed")).toBeNull();
});

test("the object has all Events that it has to have, and those of others do not count", async () => {
  const paused: [string, string] = ["u1", "Paused"];
  expect(await check({ events: [paused, ["u1", "Resumed"]] }, "Deleted", ["Paused", "Resumed"])).toBeNull();
});

test("a missing Event, and a machine that still runs after a while, are told", async () => {
  const events: [string, string][] = [
    ["u1", "Paused"],
    ["u2", "Resumed"],
  ];
  const [missing, running] = await Promise.all([
    check({ events }, "Deleted", ["Paused", "Resumed"]),
    check({ machines: [["job-1", "RUNNING"]] }, "Completed"),
  ]);
  expect(missing).toBe("no Event Resumed");
  expect(running).toBe("ComputeInstance still runs");
});

test("an object that became ready has no Event of an error, whatever those of others say", async () => {
  const alarms = (events: [string, string][]) => falseAlarm(clientOf({ events }), OBJECT);
  expect(
    await alarms([
      ["u2", "ProviderRetrying"],
      ["u1", "CompositionCreated"],
    ]),
  ).toBeNull();
  expect(await alarms([["u1", "ProviderRetrying"]])).toBe("an Event ProviderRetrying without an error");
});
