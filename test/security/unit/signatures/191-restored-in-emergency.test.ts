import { expect, it } from "vitest";
import type { Composition, CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { assertDecided } from "../../../../src/composition/decision/assert-decided.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { copyOf, keys, openStore } from "../../../support/admission-store.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const CHOSEN = {
  ...{ cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" },
  ...{ instanceType: "Standard_D2s_v5", image: "Canonical:ubuntu-24_04-lts:server:latest" },
};

type Annotations = Record<string, string>;

/** An object from a backup, of which the API server gave this one another uid, and a controller in front of it. */
function restore() {
  const store = openStore(policy);
  const backup = store.create(vm(CHOSEN)).object;
  const creationTimestamp = formatTime(NOW);
  const metadata = { ...copyOf(backup).metadata, uid: "22222222-2222-4222-8222-222222222222", creationTimestamp };
  const world = { object: { ...backup, metadata } as WorkloadObject, isOff: true, events: [] as unknown[] };
  const emergency = { namespaces: ["demo"], from: formatTime(NOW - 60), until: formatTime(NOW + 60) };
  const patch = (_path: string, _how: string, body: { metadata: { annotations: Annotations } }, query?: object) => {
    const { metadata: before } = world.object;
    const annotations = { ...before.annotations, ...body.metadata.annotations };
    const asked = { ...world.object, metadata: { ...before, annotations } };
    const dryRun = query !== undefined;
    const answered = world.isOff ? asked : store.update(world.object, asked, { dryRun }).object;
    if (!dryRun) world.object = answered;
    return Promise.resolve(answered);
  };
  const parts = {
    ...{ keys: () => keys, nowSeconds: () => NOW, serverSeconds: () => NOW },
    emergencies: () => Promise.resolve([{ ...emergency, by: "admin", reason: "a bad night" }]),
    bindings: {
      ownerOf: () => Promise.resolve(backup.metadata.uid),
      latestOf: () => Promise.resolve(0),
      legacyUntil: () => Promise.resolve(0),
    },
    records: { read: () => Promise.resolve(null) },
    record: (_object: unknown, event: unknown) => world.events.push(event),
    client: { patch },
  };
  const look = (): Promise<unknown> =>
    assertDecided(
      parts as unknown as CompositionContext,
      { key: "a", object: world.object, path: "/a" } as unknown as Composition,
    ).catch((thrown: unknown) => thrown);
  return { world, look };
}

it("191: an object from a backup that is applied in an emergency is installed as it is", async () => {
  const { world, look } = restore();
  expect(await look()).toMatchObject({ object: { metadata: { name: "web" } } });
  expect(await look()).toMatchObject({ object: { metadata: { name: "web" } } });
  expect(world.events).toMatchObject([{ reason: "InstalledInEmergency" }, { reason: "InstalledInEmergency" }]);
  // Nothing is written that would keep the controller from asking again.
  expect(world.object.metadata.annotations).not.toHaveProperty([ANNOTATION.reevaluate]);
});

it("191: it is decided once the webhook is back", async () => {
  const { world, look } = restore();
  await look();
  world.isOff = false;
  expect(await look()).toBeNull();
  expect(world.events).toMatchObject([{ reason: "InstalledInEmergency" }, { reason: "DecidedAgain" }]);
});
