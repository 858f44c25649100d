import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import type { AdmissionContext } from "../../../src/admission/types.ts";
import { policyInput } from "../../../src/admission/decide/policy-input.ts";
import { readRequest } from "../../../src/admission/check/read-request.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import type { Decision } from "../../../src/model/decision.ts";
import type { ClusterPlace, ClusterQuestion } from "../../oracle/cluster-question.ts";
import { decideCluster } from "../../oracle/decide-cluster.ts";
import { randomCluster } from "../../oracle/random-cluster.ts";
import { context, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { SCALE } from "../../support/scale.ts";

const COUNT = 300 * SCALE;
const SEED = 73;

const policy = await loadPolicy();
const questions = fc.sample(randomCluster(NOW), { numRuns: COUNT, seed: SEED });
const answers = questions.map(decideCluster);

const cluster = ({ spec }: ClusterQuestion): WorkloadObject => ({ ...vm(spec), kind: "KaasCluster" });
const contextOf = ({ annotations }: ClusterQuestion): AdmissionContext => ({
  ...context(policy),
  namespace: { name: "demo", labels: {}, annotations },
});
const ask = (question: ClusterQuestion): Decision =>
  decideAlone({ ...contextOf(question), kind: "KaasCluster", object: cluster(question), operation: "CREATE" });

/** The policy's own candidates, before one of them is chosen. */
function offers(question: ClusterQuestion): Record<string, ClusterPlace> {
  const object = cluster(question);
  const request = readRequest("KaasCluster", object);
  const { namespace } = contextOf(question);
  const asked = { object, request, namespace, operation: "CREATE" as const, nowSeconds: NOW, facts: null };
  const { candidates } = policy.evaluate(policyInput(asked));
  return Object.fromEntries(
    candidates.map(({ place, pricePerHour, cluster: offer }) => {
      const { kubernetesVersion = "", zones = [], pools = [] } = offer ?? {};
      const types = Object.fromEntries(pools.map(({ name, instanceType }) => [name, instanceType]));
      return [place, { kubernetesVersion, zones, types, price: pricePerHour }];
    }),
  );
}

describe(`${String(COUNT)} random KaasClusters, seed ${String(SEED)}`, () => {
  it("get what a brute-force search finds: allowed or not, and codes", () => {
    for (const [index, question] of questions.entries()) {
      const decision = ask(question);
      const codes = [...new Set(decision.denials.map(({ code }) => code))].sort();
      const { allowed, codes: expected } = answers[index] ?? { allowed: false, codes: [] };
      expect({ allowed: decision.allowed, codes }, JSON.stringify(question)).toEqual({ allowed, codes: expected });
    }
  });

  it("are offered the same places, versions, zones, types of every pool and prices", () => {
    for (const [index, question] of questions.entries()) {
      if (answers[index]?.allowed !== true) continue;
      expect(offers(question), JSON.stringify(question)).toEqual(answers[index].candidates);
    }
  });

  it("reach every kind of answer", () => {
    const codes = [...new Set(answers.flatMap((answer) => answer.codes))];
    expect(answers.filter(({ allowed }) => allowed).length).toBeGreaterThan(80);
    expect(codes).toEqual(
      expect.arrayContaining(["ADM_POOL_SIZE", "ADM_CIDR_OVERLAP", "PLACEMENT_NONE", "POL_GPU", "POL_POOL_EMPTY"]),
    );
    expect(codes).toEqual(expect.arrayContaining(["POL_KUBERNETES_VERSION", "POL_KUBERNETES_ENDED", "POL_FEATURE"]));
  });

  it("are patched once: applying the admitted object or the original again changes nothing", () => {
    for (const [index, question] of questions.entries()) {
      if (answers[index]?.allowed !== true) continue;
      const object = cluster(question);
      const request = { uid: "1", kind: "KaasCluster" as const };
      const stored = patched(
        object,
        admit({ ...request, operation: "CREATE", object, oldObject: null }, contextOf(question)),
      );
      const again = { ...request, operation: "CREATE" as const, object: stored, oldObject: null };
      expect(admit(again, contextOf(question))).toMatchObject({ allowed: true, patch: [] });
      const applied = { ...request, operation: "UPDATE" as const, object, oldObject: stored };
      const outcome = admit(applied, { ...contextOf(question), nowSeconds: NOW + 60 });
      expect(patched(object, outcome), JSON.stringify(question)).toEqual(stored);
    }
  });
});
