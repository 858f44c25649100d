import { expect, it } from "vitest";
import { metadataChanged } from "../../../src/cluster/predicates.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";

const object = (metadata: Resource["metadata"], status?: Resource["status"]): Resource => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata,
  ...(status && { status }),
});

it.each([
  ["a new object", null, object({ generation: 1 }), true],
  ["a change of a named field", object({ generation: 1 }), object({ generation: 2 }), true],
  ["a label that was added", object({}), object({ labels: { team: "a" } }), true],
  ["another field of metadata", object({ resourceVersion: "1" }), object({ resourceVersion: "2" }), false],
  ["the status", object({ generation: 1 }), object({ generation: 1 }, { ready: true }), false],
  ["the order of labels", object({ labels: { a: "1", b: "2" } }), object({ labels: { b: "2", a: "1" } }), false],
])("metadataChanged passes or drops %s", (_what, before, now, passes) => {
  expect(metadataChanged("generation", "labels")(before, now)).toBe(passes);
});
