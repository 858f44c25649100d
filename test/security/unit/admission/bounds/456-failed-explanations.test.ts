// 456: a valid cluster without a network, whose default ranges are too small for it, ended its decision and `landfall explain` for all objects.
import { expect, it } from "vitest";
import { decideAlone } from "../../../../../src/admission/decide/decide.ts";
import { explainObjects } from "../../../../../src/cli/objects/explain-objects.ts";
import type { LandfallError } from "../../../../../src/errors.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, NOW, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const LARGE = { nodePools: [{ name: "a", cpu: 2, memory: 4, min: 0, max: 1000 }] };

const clusterOf = (spec: Record<string, unknown>): WorkloadObject => ({ ...vm(spec), kind: "KaasCluster" });

it.each([
  ["without a network", {}],
  ["with one without ranges", { network: {} }],
  ["with a duration at fault as well", { duration: "5" }],
])("456: a cluster %s that is too large for the default ranges is told so", (_, more) => {
  const object = clusterOf({ ...LARGE, ...more });
  const { denials } = decideAlone({ ...context(policy), kind: "KaasCluster", object, operation: "CREATE" });
  expect(denials).toContainEqual(expect.objectContaining({ code: "ADM_CIDR_SMALL", field: "spec.network.podCidr" }));
});

it("456: an object that cannot be decided hides no decision of another one", () => {
  const failing = {
    ...policy,
    evaluate: (input: Parameters<typeof policy.evaluate>[0]) => {
      if (input.metadata.name === "bad") throw new TypeError("a fault");
      return policy.evaluate(input);
    },
  };
  const faults: LandfallError[] = [];
  const workloads = ["bad", "good"].map((name) => ({
    ...{ kind: "VmTemplate" as const, object: vm({ cpu: 2, memory: 4 }, { name }) },
  }));
  const objects = { workloads, namespaces: new Map() };
  const options = { policy: failing, nowSeconds: NOW, origin: null };
  const decisions = explainObjects(objects, { ...options, onFault: (fault) => faults.push(fault) });
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true]);
  expect(faults.map(({ code, message }) => [code, message])).toEqual([
    ["ADM_INTERNAL", expect.stringContaining("VmTemplate demo/bad: a fault")],
  ]);
  // Those that need all decisions get the same fault.
  expect(() => explainObjects(objects, options)).toThrow("VmTemplate demo/bad: a fault");
});
