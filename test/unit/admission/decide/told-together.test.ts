import { describe, expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Denial } from "../../../../src/model/decision.ts";
import { context, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const POOLS = [{ name: "main", count: 2, cpu: 2, memory: 8 }];

const denialsOf = (spec: Record<string, unknown>): Denial[] =>
  decideAlone({
    ...context(policy),
    kind: "KaasCluster",
    object: { ...vm({ nodePools: POOLS, ...spec }), kind: "KaasCluster" },
    operation: "CREATE",
  }).denials;

const told = (spec: Record<string, unknown>): string[] =>
  denialsOf(spec).map(({ code, field, remedy }) => `${code} ${String(field)}: ${remedy.split(" (")[0] ?? ""}`);

describe("what is wrong after a certain correction", () => {
  it("is told in the same line, without the correction that does not pass", () => {
    expect(denialsOf({ kubernetesVersion: 1.3 }).map(({ message }) => message)).toEqual([
      "spec.kubernetesVersion 1.3 is a number, and YAML drops a zero at its end, and once corrected, spec.kubernetesVersion 1.30: not offered by aws, azure, elemento, gcp",
    ]);
  });

  it("is told with it: a version in quotes that no provider offers", () => {
    expect(told({ kubernetesVersion: 1.3 })).toEqual([
      'POL_KUBERNETES_VERSION spec.kubernetesVersion: kubernetesVersion "1.35"',
    ]);
  });

  it("is told with it: one zone without its list, where AWS takes several", () => {
    expect(told({ provider: "aws", schedulingLocation: "eu-west-1", zones: "eu-west-1a" })).toEqual([
      "POL_ZONE spec.zones: zones [eu-west-1a, eu-west-1b]",
    ]);
  });

  it("names the zones of the region that the only zone is in", () => {
    const [zone] = denialsOf({ provider: "aws", zones: ["eu-west-1c"] });
    expect(zone?.message).toBe(
      "no region can have spec.zones [eu-west-1c]; aws takes 2 to 4 zones, such as eu-west-1a and eu-west-1b",
    );
    expect(zone?.remedy).toMatch(/^zones \[eu-west-1a, eu-west-1c\] \(aws\/eu-west-1\)/);
  });

  it("is told next to a correction that is one of several", () => {
    expect(told({ kubernetesVersion: "1.30", duration: "5" })).toEqual([
      "ADM_DURATION spec.duration: write 5h for hours or 5m for minutes",
      'POL_KUBERNETES_VERSION spec.kubernetesVersion: write kubernetesVersion "1.35", or use one of aws 1.35, 1.34; azure 1.35, 1.34; elemento 1.34; gcp 1.35, or omit kubernetesVersion',
    ]);
  });

  it("tells a size that the named type has", () => {
    const pools = [{ name: "main", count: 2, memory: 8 }];
    expect(told({ nodePools: pools, provider: "aws", poolInstanceTypes: { main: "m7i.large" } })).toEqual([
      "ADM_SCHEMA spec.nodePools[0].cpu: write cpu: 2, as m7i.large has",
    ]);
  });

  it("carries no patch of an object whose corrections are not certain", () => {
    const denials = denialsOf({ kubernetesVersion: "1.30", duration: "5" });
    expect(denials.map(({ patch }) => patch)).toEqual([undefined, undefined]);
  });

  it("is nothing if the corrected object is allowed", () => {
    expect(told({ kubernetesVersion: "v1.35.2" })).toEqual([
      'ADM_SCHEMA spec.kubernetesVersion: write kubernetesVersion: "1.35"',
    ]);
  });
});
