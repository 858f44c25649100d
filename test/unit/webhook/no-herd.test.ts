import { describe, expect, it } from "vitest";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import { placeAlone } from "../../../src/admission/decide/place-workload.ts";
import type { DecisionRequest } from "../../../src/admission/types.ts";
import { readRequest } from "../../../src/admission/check/read-request.ts";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { BudgetSettings } from "../../../src/model/places/load.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import { makeAnswers } from "../../../webhook/decisions/process/make-answers.ts";
import { NOW, reviewOf, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { recordPolicy } from "../../support/record-policy.ts";
import { rememberAnswers } from "../../support/remember-answers.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";

const OBJECTS = 500;
const policy = rememberAnswers(await loadPolicy());

/** The places of the catalog that count as equal for such an object in an empty cluster, from the scores of all candidates. */
function nearEqual(spec: object): string[] {
  const recording = recordPolicy(policy);
  const object = vm({ ...spec });
  const namespace = { name: "demo", labels: {}, annotations: {} };
  const request: DecisionRequest = {
    ...{ kind: "VmTemplate", object, namespace, nowSeconds: NOW, relatedWorkloads: null, operation: "CREATE" },
    policy: recording.policy,
  };
  decideAlone(request);
  const result = recording.first();
  if (result === undefined) throw new TypeError("the policy was not asked");
  const { ranked } = placeAlone(request, readRequest("VmTemplate", object), result);
  const limit = Math.min(...ranked.map(({ score }) => score)) * 1.01;
  return ranked.filter(({ score }) => score <= limit).map(({ candidate }) => candidate.place);
}

interface Placed {
  provider: string;
  schedulingLocation: string;
}

/**
 * Creations through the webhook's own path, review in and patch out, all within one second; how many each place got.
 * `aware`: each one counts from the moment that it is admitted, as in a webhook; else none knows of another.
 */
function applyAll(
  spec: object,
  { aware, bundle = policy, objects = OBJECTS }: { aware: boolean; bundle?: LoadedBundle; objects?: number },
): Map<string, number> {
  const answers = () => {
    const clusterData = createClusterData();
    clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations: {} } });
    clusterData.apply({ type: "seen", at: NOW });
    const keys = () => ringOf(Buffer.alloc(32, 7));
    return makeAnswers({
      policy: bundle,
      clusterData,
      nowSeconds: () => NOW,
      forecasts: () => null,
      keys,
    });
  };
  let answer = answers();
  const count = new Map<string, number>();
  for (let index = 0; index < objects; index++) {
    if (!aware) answer = answers();
    const name = `vm-${String(index)}`;
    const review = reviewOf(vm({ ...spec }, { name }), { uid: name });
    const { response } = JSON.parse(answer("/mutate", review).body) as { response: { patch: string } };
    const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as { path: string; value: string }[];
    const written = Object.fromEntries(patch.map(({ path, value }) => [path.replace("/spec/", ""), value]));
    const { provider, schedulingLocation } = { ...spec, ...written } as unknown as Placed;
    const place = `${provider}/${schedulingLocation}`;
    count.set(place, (count.get(place) ?? 0) + 1);
  }
  return count;
}

const most = (count: Map<string, number>): number => Math.max(...count.values());

// docs/internals/scheduling.md states both bounds.
describe("500 VmTemplates at once, no budgets", () => {
  const US = { cpu: 2, memory: 4, dataResidency: ["US"], optimizeFor: "cost" };
  const NEAR_FRANCE = { cpu: 2, memory: 4, provider: "azure", maxLatency: 30 };

  it("use all of four near-equal places and no other, at most n/k + 4 √(n/k) each, even without knowing of each other", () => {
    const near = nearEqual(US);
    expect(near).toHaveLength(4);
    const count = applyAll(US, { aware: false });
    expect([...count.keys()].sort()).toEqual([...near].sort());
    expect(most(count)).toBeLessThanOrEqual(125 + 4 * Math.sqrt(125));
  });

  it.each([
    [4, US],
    [2, NEAR_FRANCE],
  ])("that have %i, and are admitted one after the other: n/k + 2 √(n/k)", (k, spec) => {
    const near = nearEqual(spec);
    expect(near).toHaveLength(k);
    const share = OBJECTS / k;
    const count = applyAll(spec, { aware: true });
    expect([...count.keys()].sort()).toEqual([...near].sort());
    expect(most(count)).toBeLessThanOrEqual(share + 2 * Math.sqrt(share));
  });

  it("use the only best place; a limit of its share distributes them", () => {
    const spec = { cpu: 2, memory: 4 };
    const [best = ""] = nearEqual(spec);
    expect(nearEqual(spec)).toHaveLength(1);
    const objects = 150;
    expect(applyAll(spec, { aware: true, objects })).toEqual(new Map([[best, objects]]));
    const changes: Partial<BudgetSettings> = { maxRegionShare: 0.2, shareFloorVcpus: 16 };
    const bundle: LoadedBundle = {
      ...policy,
      evaluate(input) {
        const result = policy.evaluate(input);
        return { ...result, schedule: { ...result.schedule, budgets: { ...result.schedule.budgets, ...changes } } };
      },
    };
    const spread = applyAll(spec, { aware: true, bundle, objects });
    expect(most(spread)).toBeLessThanOrEqual(objects * 0.2);
    expect(spread.get(best)).toBeGreaterThan(objects * 0.15);
  });
});
