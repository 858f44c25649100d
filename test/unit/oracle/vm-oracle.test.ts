import fc from "fast-check";
import jsonPatch, { type Operation } from "fast-json-patch";
import { afterAll, describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import { withinDefault } from "../../../src/admission/decide/narrow-places.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import type { Candidate, PolicyResult } from "../../../src/model/policy.ts";
import type { Decision } from "../../../src/model/decision.ts";
import { explainObjects } from "../../../src/cli/objects/explain-objects.ts";
import { decideVm } from "../../oracle/decide-vm.ts";
import { placeNames } from "../../oracle/catalog.ts";
import type { OracleRequest } from "../../oracle/request.ts";
import { randomRequest } from "../../oracle/random-request.ts";
import { context, create, NOW, patched, reviewOf, update, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { recordPolicy } from "../../support/record-policy.ts";
import { rememberAnswers } from "../../support/remember-answers.ts";
import { startWebhook } from "../../support/services/webhook-server.ts";
import { SCALE } from "../../support/scale.ts";

const COUNT = 200 * SCALE;
const SEED = 41;

const policy = rememberAnswers(await loadPolicy());
/** The places that are decided among. */
const candidatesOf = (result: PolicyResult | undefined): readonly Candidate[] =>
  result ? withinDefault(result).candidates : [];
const webhook = await startWebhook(policy);
afterAll(() => webhook.close());

const requests = fc.sample(randomRequest(NOW), { numRuns: COUNT, seed: SEED });
const namespaceOf = ({ annotations }: OracleRequest) => ({ name: "demo", labels: {}, annotations });
const ask = (request: OracleRequest, object = vm(request.spec), asked = policy): Decision =>
  decideAlone({
    ...context(asked),
    namespace: namespaceOf(request),
    kind: "VmTemplate",
    object,
    operation: "CREATE",
  });

const cases = requests.map((request) => {
  const recording = recordPolicy(policy);
  const decision = ask(request, vm(request.spec), recording.policy);
  return { request, expected: decideVm(request), decision, candidates: candidatesOf(recording.first()) };
});

/** Every place that no rule removed. */
function eligible({ candidates }: Decision): string[] {
  const removed = new Set(Object.values(candidates.rejected).flat());
  return placeNames.filter((name) => !removed.has(name));
}

/** The codes that deny: a size that is hardly meant only stands next to them. */
const codesOf = ({ denials }: Decision): string[] =>
  [...new Set(denials.map(({ code }) => code))].filter((code) => code !== "ADM_MEMORY_LARGE").sort();

async function fromWebhook(request: OracleRequest): Promise<{ allowed: boolean; text: string }> {
  webhook.clusterData.apply({ type: "namespace", name: "demo", data: namespaceOf(request) });
  const { body } = await webhook.post("/mutate", reviewOf(vm(request.spec), { dryRun: true }));
  const { response } = body as { response: { allowed: boolean; status?: { message: string } } };
  return { allowed: response.allowed, text: response.status?.message ?? "" };
}

describe(`${String(COUNT)} random VmTemplates, seed ${String(SEED)}`, () => {
  it("get the result of a brute-force search from explain: allowed or not, codes, places, types", () => {
    for (const { request, expected, decision, candidates } of cases) {
      const shown = JSON.stringify(request);
      expect({ allowed: decision.allowed, codes: codesOf(decision) }, shown).toEqual({
        allowed: expected.allowed,
        codes: expected.codes,
      });
      if (!expected.allowed) continue;
      expect(eligible(decision), shown).toEqual(Object.keys(expected.candidates));
      expect(Object.fromEntries(candidates.map(({ place, instanceType }) => [place, instanceType])), shown).toEqual(
        expected.candidates,
      );
    }
  });

  it("get the same bytes through the code path of `landfall explain`", () => {
    for (const { request, decision } of cases) {
      const namespaces = new Map([["demo", namespaceOf(request)]]);
      const workloads = [{ kind: "VmTemplate" as const, object: vm(request.spec) }];
      const [explained] = explainObjects({ workloads, namespaces }, { policy, nowSeconds: NOW, origin: null });
      expect(JSON.stringify(explained)).toBe(JSON.stringify(decision));
    }
  });

  it("get the same from the webhook over TLS", async () => {
    for (const { request, expected } of cases) {
      const { allowed, text } = await fromWebhook(request);
      const shown = JSON.stringify(request);
      expect(allowed, shown).toBe(expected.allowed);
      for (const code of expected.codes) expect(text, shown).toContain(code);
      expect(text.length).toBeLessThanOrEqual(600);
    }
  });

  it("reach every kind of answer", () => {
    const answers = cases.map(({ expected }) => expected);
    const codes = new Set(answers.flatMap((answer) => answer.codes));
    expect(answers.filter(({ allowed }) => allowed).length).toBeGreaterThan(40);
    expect([...codes].sort()).toEqual(
      expect.arrayContaining(["ADM_DEADLINE_PAST", "PLACEMENT_NONE", "POL_NAMESPACE_SETTING", "POL_UNKNOWN_AREA"]),
    );
  });

  it("pass once their remedy is applied", () => {
    let [denied, mended] = [0, 0];
    for (const { request, decision } of cases) {
      const object = vm(request.spec);
      if (decision.allowed) continue;
      // What is wrong in the namespace's own settings, no change of the object can mend.
      if (decision.denials.some(({ field }) => field?.startsWith("namespace") === true)) continue;
      // Only the user knows the place of a network.
      if (decision.denials.some(({ code }) => code === "POL_NETWORK_UNPINNED")) continue;
      denied += 1;
      const patch = decision.denials[0]?.patch;
      if (patch === undefined) continue;
      mended += 1;
      const { newDocument } = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch as Operation[]) as {
        newDocument: WorkloadObject;
      };
      expect(ask(request, newDocument).allowed, JSON.stringify(request)).toBe(true);
    }
    console.log(`denials with a remedy: ${String(mended)} of ${String(denied)}`);
    expect(mended / denied).toBeGreaterThanOrEqual(0.9);
  });

  it("are patched once: applying the admitted object or the original again changes nothing", () => {
    for (const request of requests) {
      const asked = { ...context(policy), namespace: namespaceOf(request) };
      const object = vm(request.spec);
      const outcome = admit(create(object), asked);
      if (!outcome.allowed) continue;
      const stored = patched(object, outcome);
      expect(admit(create(stored), asked)).toMatchObject({ allowed: true, patch: [] });
      const again = admit(update(stored, object), { ...asked, nowSeconds: NOW + 60 });
      expect(patched(object, again), JSON.stringify(request)).toEqual(stored);
    }
  });
});
