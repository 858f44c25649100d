import type { Composition, CompositionContext } from "../../src/composition/context/composition-context.ts";
import { assertDecided } from "../../src/composition/decision/assert-decided.ts";
import { formatTime } from "../../src/model/time.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import { NOW, vm } from "./admission.ts";
import { copyOf, keys, openStore } from "./admission-store.ts";
import { loadPolicy } from "./load-policy.ts";

const policy = await loadPolicy();
/** What an object of an emergency has to name. */
export const CHOSEN = {
  ...{ cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" },
  ...{ instanceType: "Standard_D2s_v5", image: "Canonical:ubuntu-24_04-lts:server:latest" },
};

export type Annotations = Record<string, string>;

/**
 * An object from a backup that is applied in an emergency, and a controller in front of it: the API server gave it another uid. `added` and
 * `changes`: how its annotations and spec differ from the backup's.
 */
export function restore(added: Annotations = {}, changes: Record<string, unknown> = {}) {
  const store = openStore(policy);
  const backup = store.create(vm(CHOSEN)).object;
  const creationTimestamp = formatTime(NOW);
  const copied = copyOf(backup).metadata;
  const annotations = { ...copied.annotations, ...added };
  const metadata = { ...copied, annotations, uid: "22222222-2222-4222-8222-222222222222", creationTimestamp };
  const spec = { ...backup.spec, ...changes };
  const world = {
    object: { ...backup, metadata, spec } as WorkloadObject,
    isOff: true,
    events: [] as unknown[],
    owner: backup.metadata.uid,
  };
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
      ownerOf: () => Promise.resolve(world.owner),
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
