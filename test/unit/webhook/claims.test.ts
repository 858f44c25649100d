import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import { makeAnswers } from "../../../webhook/decisions/process/make-answers.ts";
import { slackOf } from "../../../webhook/decisions/process/slack-of.ts";
import { KEYS, NOW, reviewOf, vm } from "../../support/admission.ts";
import { machine } from "../../support/ledger/entries.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { withBudgets } from "../../support/with-budgets.ts";

const policy = await loadPolicy();
const SPEC = { cpu: 2, memory: 4, provider: "gcp", dataResidency: ["FR"] };

function answersOf(annotations: Record<string, string>, bundle: LoadedBundle = policy) {
  const clusterData = createClusterData();
  clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
  clusterData.apply({ type: "shared", id: "other", number: 4, reservation: null });
  clusterData.apply({ type: "seen", at: NOW });
  const answers = makeAnswers({
    ...{ policy: bundle, clusterData, nowSeconds: () => NOW },
    ...{ forecasts: () => null, keys: () => KEYS },
  });
  return { answers, clusterData };
}
const QUOTA = { "landfall.dev/quota-vcpus": "10" };
const review = (fields: object = {}) => reviewOf(vm(SPEC, { name: "web" }), { uid: "1", ...fields });

describe("what the other replicas have to know", () => {
  it("is nothing where no quota and no budget holds, and of a dry run", () => {
    expect(answersOf({}).answers("/mutate", review()).claim).toBeNull();
    expect(answersOf(QUOTA).answers("/mutate", review({ dryRun: true })).claim).toBeNull();
  });

  it("is the object with the nonce of its decision, what the quota leaves, and what was counted", () => {
    const { claim } = answersOf(QUOTA).answers("/mutate", review());
    expect(claim).toMatchObject({
      key: "VmTemplate/demo/web",
      creates: true,
      counted: 4,
      untilMs: (NOW + 5) * 1000 - 250,
    });
    expect(claim?.id).toMatch(/^[0-9a-f]{32}$/);
    expect([claim?.id, claim?.slack]).toEqual([claim?.workload.decisionId, { quota: { vcpus: 8 }, budget: null }]);
  });

  it("is the same when the request is asked again with what its first answer wrote", () => {
    const { answers } = answersOf(QUOTA);
    const first = answers("/mutate", review());
    const patch = JSON.parse(
      Buffer.from((JSON.parse(first.body) as { response: { patch: string } }).response.patch, "base64").toString(),
    ) as { path: string; value: unknown }[];
    const spec: Record<string, unknown> = { ...SPEC };
    const annotations: Record<string, string> = {};
    for (const { path, value } of patch) {
      const [, part, name = "", annotation = ""] = path.split("/");
      if (part === "spec") spec[name] = value;
      else if (annotation !== "") annotations[annotation.replaceAll("~1", "/")] = String(value);
      else Object.assign(annotations, value);
    }
    const again = answers("/mutate", reviewOf(vm(spec, { name: "web", annotations }), { uid: "2" }));
    expect(JSON.parse(again.body)).toMatchObject({ response: { allowed: true } });
    expect(again.claim?.id).toBe(first.claim?.id);
  });

  it("has what the budget of the place leaves", () => {
    const { claim } = answersOf({}, withBudgets(policy, { vcpus: 6 })).answers("/mutate", review());
    expect(claim?.slack).toEqual({ quota: null, budget: 4 });
  });
});

describe("what limits leave", () => {
  const budgets = { vcpus: 10, places: { "aws/eu-west-1": 4 }, maxRegionShare: null, shareFloorVcpus: 64 };
  const settings = { ...budgets, nearFull: { from: 0.8, surcharge: 0.1 } };
  const run = (from: number, to: number | null, vcpus: number) => ({
    place: "gcp/europe-west9",
    start: NOW + from * 3600,
    end: to === null ? null : NOW + to * 3600,
    vcpus,
  });
  const budgetOf = (placed: object[], fields = {}) =>
    slackOf({ quota: null, budgets: settings }, machine("a", { start: NOW, end: NOW + 3600, ...fields }), {
      usage: null,
      placed: () => placed as ReturnType<typeof run>[],
    }).budget;

  it("of a budget counts all that runs in one of the hours, and nothing else", () => {
    expect(
      budgetOf([run(0, 1, 3), run(0, null, 2), run(5, 6, 4), { ...run(0, 1, 3), place: "gcp/europe-west3" }]),
    ).toBe(4);
    expect(budgetOf([], { place: "aws/eu-west-1" })).toBe(3);
  });

  it("of a quota has only its dimensions; a bundle that does not tell counts on nothing", () => {
    const usage = { objects: 3, vcpus: 4, memoryGiB: 5, pricePerMonth: 6 };
    const slack = (quota: Parameters<typeof slackOf>[0]["quota"]) =>
      slackOf({ quota, budgets: null }, machine("a"), { usage, placed: () => [] }).quota;
    expect(slack({ objects: 10, pricePerMonth: 100 })).toEqual({ objects: 6, pricePerMonth: 21 });
    expect([slack({}), slack("unknown")]).toEqual([null, { objects: 0 }]);
  });
});
