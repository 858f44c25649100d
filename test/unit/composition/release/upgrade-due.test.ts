import { expect, it } from "vitest";
import type { Composition, CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { isUpgradeDue } from "../../../../src/composition/release/ensure-release.ts";
import { markOf } from "../../../../src/composition/release/awaited-marks.ts";
import type { Release } from "../../../../src/composition/managed/release.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const CLUSTER = { apiVersion: "eks.services.k8s.aws/v1alpha1", kind: "Cluster", namespace: "demo", name: "train" };
const AWAITED = { group: "eks.services.k8s.aws", kind: "Cluster", name: "train", path: "status.ca", not: null };

/** Whether an upgrade is due for a release that was rendered with this label, while the cluster has this value. */
const isDue = (value: string, awaited: string, annotations: Record<string, string> = {}): Promise<boolean> => {
  const { apiVersion, kind, namespace, name } = CLUSTER;
  const live: Resource = { apiVersion, kind, metadata: { name, namespace }, status: { ca: value } };
  const managed = { ensure: () => Promise.resolve({}), claim: () => undefined, get: () => live, isWhole: () => true };
  const object = { apiVersion: "v1", kind: "KaasCluster", metadata: { name, namespace, annotations } };
  return isUpgradeDue(
    { context: { managed } as unknown as CompositionContext, composition: { object } as Composition },
    { awaits: [AWAITED], awaited, objects: [CLUSTER] } as unknown as Release,
  );
};

it("is due once a value is there that the release was rendered without: its object is not ready before", async () => {
  expect(await isDue("", "none")).toBe(false);
  expect(await isDue("certificate", "none")).toBe(true);
  expect(await isDue("certificate", markOf(AWAITED, "certificate"))).toBe(false);
  expect(await isDue("other", markOf(AWAITED, "certificate"))).toBe(true);
});

it("is not due while the object is gracefully paused", async () => {
  expect(await isDue("certificate", "none", { "krateo.io/gracefully-paused": "true" })).toBe(false);
});
