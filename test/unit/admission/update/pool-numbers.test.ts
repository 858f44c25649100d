import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();
const codes = (outcome: Outcome): string[] => (outcome.allowed ? [] : outcome.codes);

function admitted(spec: Spec): WorkloadObject {
  const object: WorkloadObject = { ...vm(spec), kind: "KaasCluster" };
  return patched(
    object,
    admit({ uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null }, context(policy)),
  );
}

const change = (oldObject: WorkloadObject, spec: Spec): Outcome =>
  admit(
    { uid: "2", operation: "UPDATE", kind: "KaasCluster", object: { ...oldObject, spec }, oldObject },
    context(policy, NOW + 60),
  );

describe("an installed cluster of GKE", () => {
  const pool = { name: "system", cpu: 2, memory: 8 };
  const changed = (before: Spec, nodes: Spec, more: Spec = {}): Outcome => {
    const old = admitted({ provider: "gcp", ...more, nodePools: [{ ...pool, ...before }] });
    return change(old, { ...old.spec, nodePools: [{ ...pool, ...nodes }] });
  };
  const asked = (...pools: Parameters<typeof changed>): string[] => codes(changed(...pools));

  // Config Connector leaves autoscaling on where its spec no longer has it.
  it.each<[string, Spec, Spec, string[]]>([
    ["a count in place of limits", { min: 1, max: 5 }, { count: 3 }, ["ADM_POOL_SCALES"]],
    ["no limits", { min: 1, max: 5 }, {}, ["ADM_POOL_SCALES"]],
    ["equal limits", { min: 1, max: 5 }, { min: 3, max: 3 }, []],
    ["limits in place of a count", { count: 3 }, { min: 1, max: 5 }, []],
  ])("gets %s: %o, %o", (_name, before, nodes, expected) => {
    expect(asked(before, nodes)).toEqual(expected);
  });

  // The chart writes a count that three zones do not divide as limits.
  it.each<[Spec, Spec, string[]]>([
    [{ min: 1, max: 5 }, { count: 3 }, ["ADM_POOL_SCALES"]],
    [{ count: 4 }, { count: 6 }, ["ADM_POOL_SCALES"]],
    [{ count: 3 }, { count: 6 }, []],
    [{ count: 3 }, { count: 4 }, []],
    [{ count: 4 }, { count: 5 }, []],
  ])("with its nodes in three zones changes from %o to %o", (before, nodes, expected) => {
    expect(asked(before, nodes, { highAvailability: true })).toEqual(expected);
  });

  // GKE has g2 in two zones of europe-west1, and in all three of europe-west4.
  it.each<[string, Spec, Spec, string[]]>([
    ["europe-west1", { min: 1, max: 5 }, { count: 3 }, []],
    ["europe-west1", { min: 1, max: 5 }, { count: 4 }, ["ADM_POOL_SCALES"]],
    ["europe-west1", { count: 3 }, { count: 4 }, ["ADM_POOL_SCALES"]],
    ["europe-west1", { count: 2 }, { count: 4 }, []],
    ["europe-west4", { count: 2 }, { count: 3 }, ["ADM_POOL_SCALES"]],
  ])(
    "with its nodes in the zones of %s that have their type changes from %o to %o",
    (region, before, nodes, expected) => {
      const place = { schedulingLocation: region, poolInstanceTypes: { system: "g2-standard-4" } };
      const g2 = { gpu: 1, cpu: 4 };
      expect(asked({ ...g2, ...before }, { ...g2, ...nodes }, { highAvailability: true, ...place })).toEqual(expected);
    },
  );

  it("in two zones is offered an even number of nodes", () => {
    const more = {
      highAvailability: true,
      schedulingLocation: "europe-west1",
      poolInstanceTypes: { system: "g2-standard-4" },
    };
    const outcome = changed({ cpu: 4, count: 2 }, { cpu: 4, count: 5 }, more);
    const told = outcome.allowed ? outcome.warnings.join(" ") : outcome.message;
    expect(told).toContain("for a minimum of 5, write count: 6");
  });

  it.each<[Spec, Spec]>([
    [{}, { releaseChannel: "stable" }],
    [{ releaseChannel: "regular" }, { releaseChannel: "stable" }],
    [{ releaseChannel: "regular" }, {}],
  ])("changes its release channel in place: from %j to %j", (before, after) => {
    const old = admitted({ provider: "gcp", ...before, nodePools: [pool] });
    const { releaseChannel: _before, ...rest } = old.spec ?? {};
    expect(codes(change(old, { ...rest, ...after }))).toEqual([]);
  });

  it("alone takes a release channel", () => {
    const asks = (provider: string): Outcome => {
      const object: WorkloadObject = {
        ...vm({ provider, releaseChannel: "stable", nodePools: [pool] }),
        kind: "KaasCluster",
      };
      return admit({ uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null }, context(policy));
    };
    expect(codes(asks("gcp"))).toEqual([]);
    for (const provider of ["aws", "azure", "elemento"]) expect(codes(asks(provider))).toEqual(["POL_FEATURE"]);
  });

  // Config Connector before 1.154.0 (issue 4871).
  it.each<[string, string[], string[], boolean]>([
    ["one of two taints goes", ["a", "b"], ["a"], true],
    ["the last taint goes", ["a"], [], true],
    ["a taint comes", ["a"], ["a", "b"], false],
  ])("warns of taints that an old operator keeps: %s", (_name, before, after, expected) => {
    const taints = (keys: string[]): Spec => ({ taints: keys.map((key) => ({ key, effect: "NoSchedule" })) });
    const outcome = changed(taints(before), taints(after));
    const told = outcome.allowed ? outcome.warnings.filter((text) => text.includes("POOL_TAINT_KEPT")) : null;
    expect(told).toHaveLength(expected ? 1 : 0);
  });

  it("is offered what has so many nodes, where limits would still scale", () => {
    const outcome = changed({ min: 1, max: 5 }, { count: 3 });
    expect(outcome.allowed ? "" : outcome.message).toContain(
      "keep min and max, or add a pool with count: 3, move the workloads, then remove system",
    );
  });

  // GKE's autoscaler enforces neither limit.
  it.each<[string, [before: Spec, after: Spec, more?: Spec], string | null]>([
    [
      "a larger minimum",
      [
        { min: 0, max: 5 },
        { min: 1, max: 5 },
      ],
      "for a minimum of 1 at any time, add a pool with count: 1",
    ],
    ["a minimum above the count", [{ count: 2 }, { min: 3, max: 5 }], "for a minimum of 3 now, write count: 3 first"],
    [
      "a smaller maximum",
      [
        { min: 1, max: 5 },
        { min: 1, max: 3 },
      ],
      "removes those that can be emptied",
    ],
    ["a maximum below the count", [{ count: 6 }, { min: 1, max: 3 }], "removes those that can be emptied"],
    [
      "a count that three zones do not divide",
      [{ count: 3 }, { count: 4 }, { highAvailability: true }],
      "for a minimum of 4, write count: 6",
    ],
    [
      "limits further apart",
      [
        { min: 2, max: 5 },
        { min: 1, max: 9 },
      ],
      null,
    ],
    ["limits around a count", [{ count: 2 }, { min: 2, max: 9 }], null],
    ["another count", [{ count: 2 }, { count: 3 }], null],
    ["another count in each zone", [{ count: 3 }, { count: 6 }, { highAvailability: true }], null],
  ])("is warned of %s, which changes no number of nodes now: %j", (_name, asks, expected) => {
    const outcome = changed(...asks);
    expect(outcome.allowed).toBe(true);
    const [warning] = (outcome.allowed ? outcome.warnings : []).filter((text) => text.includes("POOL_SCALES_LATER"));
    if (expected === null) expect(warning).toBeUndefined();
    else expect(warning).toContain(expected);
  });

  it("alone is warned of its limits", () => {
    const old = admitted({ provider: "azure", nodePools: [{ ...pool, min: 1, max: 5 }] });
    const outcome = change(old, { ...old.spec, nodePools: [{ ...pool, min: 2, max: 4 }] });
    expect(outcome.allowed ? outcome.warnings.join() : "denied").not.toContain("POOL_SCALES_LATER");
  });
});
