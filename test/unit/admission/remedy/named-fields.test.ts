import { describe, expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Denial } from "../../../../src/model/decision.ts";
import type { Kind } from "../../../../src/model/names.ts";
import { context, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const nodePools = [{ name: "main", count: 2, cpu: 2, memory: 8 }];

function denialOf(kind: Kind, spec: Record<string, unknown>): Denial | undefined {
  const object = { ...vm(spec), kind };
  return decideAlone({ ...context(policy), kind, object, operation: "CREATE" }).denials[0];
}

describe("the denial of what a provider lacks", () => {
  it.each([
    [
      { provider: "aws", network: { podCidr: "10.64.0.0/14", nodeCidr: "10.0.0.0/16" } },
      "aws cannot run this cluster with spec.network.podCidr 10.64.0.0/14: pods have addresses of the nodes' network",
      "no network.podCidr",
    ],
    [
      { provider: "elemento", network: { serviceCidr: "10.96.0.0/16" } },
      "elemento cannot run this cluster with spec.network.serviceCidr 10.96.0.0/16: of its clusters only the nodes' network can be chosen",
      "no network.serviceCidr",
    ],
    [
      { provider: "elemento", endpoint: "private" },
      "elemento cannot run this cluster with spec.endpoint private: its control planes have one kind of endpoint",
      "no endpoint",
    ],
  ])("names the field, its value and what to leave out: %j", (spec, message, remedy) => {
    const denial = denialOf("KaasCluster", { nodePools, ...spec });
    expect(denial?.message).toBe(message);
    expect(denial?.remedy.split(" (")[0]).toBe(remedy);
  });

  it("proposes types of the provider for a pool whose type is another one's", () => {
    const spec = { nodePools, provider: "aws", poolInstanceTypes: { main: "Standard_D4s_v5" } };
    const denial = denialOf("KaasCluster", spec);
    expect(denial?.message).toBe(
      "spec.poolInstanceTypes.main Standard_D4s_v5 is a type of azure, of which no place remains",
    );
    expect(denial?.remedy).toMatch(/^poolInstanceTypes \{main: [a-z0-9.-]+\} \(aws\/.+\), or provider azure /);
  });

  it("says that the catalog lacks spot prices, and keeps the limit on demand", () => {
    const spec = { cpu: 2, memory: 8, provider: "aws", capacity: "spot", maxPrice: "0.10" };
    const denial = denialOf("VmTemplate", spec);
    expect(denial?.message).toBe(
      "no place that remains costs at most 0.10 USD per hour: the catalog has no spot prices there, so that no limit can be checked for spec.capacity spot",
    );
    expect(denial?.remedy.split(" (")[0]).toBe("capacity either");
  });
});
