import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { AdmissionContext } from "../../../../src/admission/types.ts";
import { choosePlacement } from "../../../../src/placement/choose-placement.ts";
import type { PlacedWorkload } from "../../../../src/model/places/load.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { context, create, NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { withBudgets } from "../../../support/with-budgets.ts";

const policy = await loadPolicy();

const spec = { cpu: 2, memory: 4, provider: "azure", duration: "2h" };

describe("admission under budgets", () => {
  it("skips full places, and shows them among the rejected", () => {
    const free = admit(create(vm(spec)), context(policy));
    const { provider, region } = free.decision?.placement ?? { provider: "", region: "" };
    const place = `${provider}/${region}`;
    const placed = (): PlacedWorkload[] => [{ place, start: null, end: null, vcpus: 9 }];
    const { decision } = admit(create(vm(spec)), { ...context(withBudgets(policy, { vcpus: 10 })), placed });
    if (decision === null) throw new TypeError("there is no decision");
    expect(decision.placement?.region).not.toBe(region);
    const { rejected, funnel, eligible } = decision.candidates;
    expect(rejected["budget"]).toEqual([place]);
    expect(funnel.at(-1)).toMatchObject({ rule: "budget", remaining: eligible });
  });

  it("denies with PLACEMENT_BUDGET if every place is full, and names a remedy", () => {
    const outcome = admit(
      create(vm({ ...spec, schedulingLocation: "italynorth" })),
      context(withBudgets(policy, { vcpus: 1 })),
    );
    if (outcome.allowed) throw new TypeError("it was allowed");
    expect(outcome.codes).toEqual(["PLACEMENT_BUDGET"]);
    expect(outcome.message).toMatch(
      /^the budgets have no capacity left for this in azure\/italynorth\n {2}passes with: cpu ≤ 1\n/,
    );
    expect(outcome.decision?.candidates.funnel.at(-1)).toEqual({
      rule: "budget",
      text: "budgets: none remains",
      remaining: 0,
    });
  });

  it("distributes objects by their names, and always gives a name the same place", () => {
    const regions = (names: string[]): (string | undefined)[] =>
      names.map((name) => admit(create(vm(spec, { name })), context(policy)).decision?.placement?.region);
    expect(regions(["same", "same"])).toEqual([...new Set(regions(["same"])), ...new Set(regions(["same"]))]);
    expect(admit(create(vm(spec)), context(policy, NOW)).decision?.id).toBe(
      admit(create(vm(spec)), context(policy, NOW)).decision?.id,
    );
  });
});

describe("a creation under budgets that may ask for a batch", () => {
  const bundle: LoadedBundle = {
    ...policy,
    evaluate(input) {
      const result = withBudgets(policy, { vcpus: 10 }).evaluate(input);
      return { ...result, schedule: { ...result.schedule, gatherMilliseconds: 20 } };
    },
  };
  const ask = (more: Partial<AdmissionContext> = {}) =>
    admit(create(vm(spec)), { ...context(bundle), ...more }, "batch");

  it("is not finished: it returns the batch item, and how long to wait for others", () => {
    const step = ask();
    expect(step).toMatchObject({ state: "needs a batch", waitMs: 20, item: { settings: { vcpus: 10 } } });
  });

  it("follows the plan of the batch if its place has room", () => {
    const step = ask();
    if (!("state" in step) || step.state !== "needs a batch") throw new TypeError("it asked for no batch");
    const [, second] = choosePlacement(step.item.request).ranked;
    if (second === undefined) throw new TypeError("there is one place only");
    const { decision } = admit(create(vm(spec)), { ...context(bundle), plan: second });
    expect(`${decision?.placement?.provider ?? ""}/${decision?.placement?.region ?? ""}`).toBe(second.candidate.place);
  });

  it("is decided alone if the batch has no plan for it, or without limits", () => {
    const alone = admit(create(vm(spec)), context(bundle));
    expect(admit(create(vm(spec)), { ...context(bundle), plan: null })).toEqual(alone);
    expect(admit(create(vm(spec)), context(policy), "batch")).toEqual(admit(create(vm(spec)), context(policy)));
  });
});
