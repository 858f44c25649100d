import { describe, expect, it } from "vitest";
import { checkAlone } from "../../../../src/admission/decide/decide.ts";
import { context, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();

describe("a correction that names an entry whose name is wrong as well", () => {
  it("writes the name that the entry's own correction writes", () => {
    const nodePools = [{ name: "System_Pool", cpu: 4, memory: 16, vmSize: "Standard_D4s_v5" }];
    const object = { ...vm({ nodePools }), kind: "KaasCluster" };
    const { denials } = checkAlone({ ...context(policy), kind: "KaasCluster", object, operation: "CREATE" });
    expect(denials.map(({ remedy }) => remedy.split(": write ").at(-1))).toEqual([
      "poolInstanceTypes: {systempool: Standard_D4s_v5} directly below spec, or omit it",
      "write at most 12 lower-case letters and digits, beginning with a letter, e.g. name: systempool",
    ]);
  });
});
