import { expect, it } from "vitest";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import type { Removal } from "../../../../../src/composition/record/open-removals.ts";
import { stillDeleting } from "../../../../../src/composition/release/recorded/still-deleting.ts";

const ID = "compute.cnrm.cloud.google.com ComputeInstance web";

const removalOf = (uid: string): Removal => ({
  ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid, release: `web-${uid}`, place: "gcp/europe-west3" },
  ...{ running: [], objects: [ID] },
});

/** A cluster in which the machine is being deleted, with these removals underway, and releases that name it. */
function worldOf(removals: Removal[], claims: { release: string; current: string[] }[] = []): CompositionContext {
  const resource = { kind: "ComputeInstance", name: "computeinstances", namespaced: true };
  const live = { apiVersion: "v1", kind: "ComputeInstance", metadata: { name: "web", deletionTimestamp: "x" } };
  return {
    records: { claims: () => Promise.resolve(claims) },
    removals: { list: () => Promise.resolve(removals) },
    discovery: {
      group: () => Promise.resolve([{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", resources: [resource] }]),
      find: () => Promise.resolve(resource),
    },
    tenant: () => ({ get: () => Promise.resolve(live) }),
  } as unknown as CompositionContext;
}

it("376: of two removals that name an object which is being deleted, both wait for it", async () => {
  const [first, second] = [removalOf("1"), removalOf("2")];
  const context = worldOf([first, second]);
  const waits = [(await stillDeleting(context, first)).length, (await stillDeleting(context, second)).length];
  expect(waits).toEqual([1, 1]);
});

it("376: a removal does not wait for what a release has by now", async () => {
  const removal = removalOf("1");
  expect(await stillDeleting(worldOf([removal], [{ release: "web-2", current: [ID] }]), removal)).toEqual([]);
});
