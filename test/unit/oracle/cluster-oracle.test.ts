import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import type { AdmissionContext } from "../../../src/admission/types.ts";
import { withinDefault } from "../../../src/admission/decide/narrow-places.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import type { Decision } from "../../../src/model/decision.ts";
import type { Candidate, PolicyResult } from "../../../src/model/policy.ts";
import type { ClusterPlace, ClusterRequest } from "../../oracle/cluster-request.ts";
import { decideCluster } from "../../oracle/decide-cluster.ts";
import { randomCluster } from "../../oracle/random-cluster.ts";
import { context, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { recordPolicy } from "../../support/record-policy.ts";
import { rememberAnswers } from "../../support/remember-answers.ts";
import { SCALE } from "../../support/scale.ts";

const COUNT = 300 * SCALE;
const SEED = 73;

const policy = rememberAnswers(await loadPolicy());
/** The places that are decided among. */
const candidatesOf = (result: PolicyResult | undefined): readonly Candidate[] =>
  result ? withinDefault(result).candidates : [];
const requests = fc.sample(randomCluster(NOW), { numRuns: COUNT, seed: SEED });
const answers = requests.map(decideCluster);

const cluster = ({ spec }: ClusterRequest): WorkloadObject => ({ ...vm(spec), kind: "KaasCluster" });
const contextOf = ({ annotations }: ClusterRequest): AdmissionContext => ({
  ...context(policy),
  namespace: { name: "demo", labels: {}, annotations },
});
/** The decision, and the policy's own candidates, before one of them is chosen. */
function ask(request: ClusterRequest): { decision: Decision; candidates: readonly Candidate[] } {
  const recording = recordPolicy(policy);
  const asked = { ...contextOf(request), policy: recording.policy, object: cluster(request) };
  const decision = decideAlone({ ...asked, kind: "KaasCluster", operation: "CREATE" });
  return { decision, candidates: candidatesOf(recording.first()) };
}
const cases = requests.map((request, index) => ({ request, expected: answers[index], ...ask(request) }));

function offers(candidates: readonly Candidate[]): Record<string, ClusterPlace> {
  return Object.fromEntries(
    candidates.map(({ place, pricePerHour, cluster: offer }) => {
      const { kubernetesVersion = "", zones = [], pools = [] } = offer ?? {};
      const types = Object.fromEntries(pools.map(({ name, instanceType }) => [name, instanceType]));
      return [place, { kubernetesVersion, zones, types, price: pricePerHour }];
    }),
  );
}

describe(`${String(COUNT)} random KaasClusters, seed ${String(SEED)}`, () => {
  it("get the result of a brute-force search: allowed or not, and codes", () => {
    for (const { request, decision, expected } of cases) {
      // A size that is hardly meant only stands next to what denies.
      const all = [...new Set(decision.denials.map(({ code }) => code))].sort();
      const told = all.filter((code) => code !== "ADM_MEMORY_LARGE");
      const { allowed, codes: wanted } = expected ?? { allowed: false, codes: [] };
      // What the policy says next to a fault of a single value is told as well: the oracle does not ask for it.
      const isOfValue = (code: string): boolean => code.startsWith("ADM_");
      const codes = wanted.some(isOfValue) ? told.filter(isOfValue) : told;
      expect({ allowed: decision.allowed, codes }, JSON.stringify(request)).toEqual({ allowed, codes: wanted });
    }
  });

  it("are offered the same places, versions, zones, types of every pool and prices", () => {
    for (const { request, candidates, expected } of cases) {
      if (expected?.allowed !== true) continue;
      expect(offers(candidates), JSON.stringify(request)).toEqual(expected.candidates);
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
    for (const [index, request] of requests.entries()) {
      if (answers[index]?.allowed !== true) continue;
      const object = cluster(request);
      const base = { uid: "1", kind: "KaasCluster" as const };
      const stored = patched(
        object,
        admit({ ...base, operation: "CREATE", object, oldObject: null }, contextOf(request)),
      );
      const again = { ...base, operation: "CREATE" as const, object: stored, oldObject: null };
      expect(admit(again, contextOf(request))).toMatchObject({ allowed: true, patch: [] });
      const applied = { ...base, operation: "UPDATE" as const, object, oldObject: stored };
      const outcome = admit(applied, { ...contextOf(request), nowSeconds: NOW + 60 });
      expect(patched(object, outcome), JSON.stringify(request)).toEqual(stored);
    }
  });
});
