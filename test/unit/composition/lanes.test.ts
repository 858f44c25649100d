import { expect, it } from "vitest";
import { Lanes } from "../../../src/composition/context/lanes.ts";
import type { Resource } from "../../../src/composition/types.ts";

const object = (uid: string, metadata: object = {}): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: { uid, namespace: "demo", name: uid, ...metadata },
});

it("lets what is installed begin in the lane of status, and wait for helm in the lane of installations", () => {
  const lanes = new Lanes((uid) => uid === "known");
  const known = { key: "vmtemplates/demo/known", object: object("known") };
  expect(lanes.of(known.key, known.object)).toBe("status");
  expect(lanes.leaveToHelm(known)).toBe(true);
  expect(lanes.of(known.key, known.object)).toBe("install");
  // As often as it is asked, also where one reconcile asks twice.
  expect(lanes.leaveToHelm(known)).toBe(false);
  expect(lanes.leaveToHelm(known)).toBe(false);
  lanes.settle(known.key);
  expect(lanes.of(known.key, known.object)).toBe("status");
});

it("has a lane for what is new, and one for what is being deleted or gone", () => {
  const lanes = new Lanes(() => true);
  expect(new Lanes(() => false).of("vmtemplates/demo/new", object("new"))).toBe("install");
  expect(lanes.of("vmtemplates/demo/old", object("old", { deletionTimestamp: "2026-06-01T00:00:00Z" }))).toBe("delete");
  expect(lanes.of("vmtemplates/demo/gone", null)).toBe("delete");
});
