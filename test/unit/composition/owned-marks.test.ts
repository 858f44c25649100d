import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  deletingMarks,
  marksIn,
  marksToPutBack,
  staysAtProvider,
} from "../../../src/composition/claims/owned-marks.ts";

const POLICY = new URL("../../../charts/landfall/optional/provider-objects.yaml", import.meta.url);
const PAUSED = "cnrm.cloud.google.com/actuation-mode";
const RECONCILERS = ["alpha.cnrm.cloud.google.com/reconciler", "cnrm.cloud.google.com/reconciler"];

const instance = (annotations: Record<string, string>) => ({
  apiVersion: "compute.cnrm.cloud.google.com/v1beta1",
  kind: "ComputeInstance",
  metadata: { name: "web", annotations },
});

describe("the annotations by which Config Connector pauses, or changes its controller", () => {
  it("are kept and put back as the chart has them", () => {
    const found = {
      [PAUSED]: "Paused",
      [RECONCILERS[0] ?? ""]: "direct",
      [RECONCILERS[1] ?? ""]: "direct",
      other: "x",
    };
    expect(marksIn(found)).toEqual({ ...found, other: undefined });
    const back = marksToPutBack(instance({}), instance(found), { name: "web", namespace: "demo" });
    expect(back?.annotations).toMatchObject(Object.fromEntries([PAUSED, ...RECONCILERS].map((key) => [key, null])));
  });

  it("keep a machine at Google Cloud while its object is deleted, if they pause it", () => {
    expect(staysAtProvider(instance({ [PAUSED]: "Paused" }))).toBe(true);
    expect(deletingMarks(instance({ [PAUSED]: "Paused" }))).toEqual({ [PAUSED]: null });
    expect(staysAtProvider(instance({ [PAUSED]: "Reconciling" }))).toBe(false);
    expect(staysAtProvider(instance({ [RECONCILERS[0] ?? ""]: "direct" }))).toBe(false);
  });

  it("are ones that the policy of provider objects keeps from tenants", async () => {
    const text = await readFile(POLICY, "utf8");
    const prefixes = (/\['landfall\.dev\/'[^\]]*\]/.exec(text)?.[0] ?? "").match(/[\w.]+\//g) ?? [];
    const guarded = [PAUSED, ...RECONCILERS, "services.k8s.aws/region", "serviceoperator.azure.com/reconcile-policy"];
    expect(guarded.filter((key) => !prefixes.some((prefix) => key.startsWith(prefix)))).toEqual([]);
  });
});
