// 454: a cluster of 100 pools in each of which all fields were wrong took half a second to deny, while everybody else waited.
import { expect, it } from "vitest";
import { checkObject } from "../../../../../src/admission/check/check-object.ts";
import { vm } from "../../../../support/admission.ts";

const pool = (at: number): Record<string, unknown> => ({
  ...{ name: `Pool ${String(at)}`, cpu: "2 cores", memory: "4 GB", count: "3", autoscaling: { min: "1", max: "x" } },
  ...{ instanceType: ["m5.large"], taints: "gpu=true:NoSchedule", labels: "a=b" },
});

const denialsOf = (count: number): { field: string | null }[] =>
  checkObject("KaasCluster", {
    ...vm({ nodePools: Array.from({ length: count }, (_, at) => pool(at)) }),
    kind: "KaasCluster",
  });

it("454: of a cluster with many wrong pools, a limited number of problems is explained", () => {
  const denials = denialsOf(100);
  expect(denials.length).toBeGreaterThan(0);
  expect(denials.length).toBeLessThanOrEqual(60);
  expect(denials[0]?.field).toMatch(/^spec\.nodePools\[0\]/);
});

it("454: of a few wrong pools, all problems are explained", () => {
  const pools = new Set(denialsOf(5).map(({ field }) => /\d+/.exec(field ?? "")?.[0]));
  expect([...pools]).toEqual(["0", "1", "2", "3", "4"]);
});
