import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import type { Outcome } from "../../../src/admission/types.ts";
import { problemsOf, refuse } from "../../../src/model/schemas/check-settings.ts";
import { context, create, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const policy = await loadPolicy();

function denied(spec: Record<string, unknown>, annotations: Record<string, string> = {}) {
  const namespace = { name: "demo", labels: {}, annotations };
  const outcome: Outcome = admit(create(vm(spec)), { ...context(policy), namespace });
  if (outcome.allowed) throw new TypeError("admitted");
  return outcome;
}

/** Ten disks with a type of another provider, and no cpu. */
const MANY = {
  memory: 4,
  disks: Array.from({ length: 10 }, (_, index) => ({ name: `d${String(index)}`, sizeGiB: 10, type: "gp3" })),
};

describe("many faults of an object", () => {
  it("are all in the decision, which explain prints", () => {
    const { denials } = decideAlone({ ...context(policy), kind: "VmTemplate", object: vm(MANY), operation: "CREATE" });
    expect(denials.map(({ field }) => field)).toEqual([
      ...MANY.disks.map((_, index) => `spec.disks[${String(index)}].type`),
      "spec.cpu",
    ]);
  });

  it("are told by the webhook as far as they fit, the missing field first, with the command that lists all", () => {
    const { message, causes = [] } = denied(MANY);
    expect(causes).toHaveLength(9);
    expect(causes[0]).toMatchObject({ field: "spec.cpu", reason: "FieldValueRequired" });
    expect(causes.at(-1)).toEqual({
      reason: "FieldValueInvalid",
      field: "spec",
      message: "and 3 more: `landfall explain -f FILE` lists all",
    });
    expect(message).toContain("\n  and 3 more: `landfall explain -f FILE` lists all\n  [ADM_SCHEMA, ");
  });

  it("are told with what the policy says of the corrected object, and with its correction", () => {
    const { message, causes = [] } = denied({ cpu: "2", memory: "4 or 8", schedulingLocation: "itlaynorth" });
    expect(causes.map(({ field }) => field)).toEqual(["spec.cpu", "spec.memory", "spec.schedulingLocation"]);
    expect(causes.at(-1)?.message).toMatch(/not a region of .*; write schedulingLocation italynorth if that is meant/);
    expect(message).toContain("write schedulingLocation italynorth if that is meant");
  });

  it("are not counted where all are told", () => {
    const { message, causes } = denied({ ...MANY, disks: MANY.disks.slice(0, 7) });
    expect(causes).toHaveLength(8);
    expect(message).not.toContain("more:");
  });
});

describe("wrong settings of a namespace", () => {
  it("are each told with what to write", () => {
    const { message } = denied(
      { cpu: 2, memory: 4 },
      {
        "landfall.dev/residency": "Europe;CH",
        "landfall.dev/providers": "aws azurerm",
        "landfall.dev/max-latency": "30ms",
        "landfall.dev/quota-memory": "256Gi",
        "landfall.dev/when-done": "Terminate",
      },
    );
    const advice = message.split("\n").map((line) => line.split("; ask the namespace's owner to ")[1]);
    expect(advice.filter((one) => one !== undefined)).toEqual([
      'set landfall.dev/max-latency to "30"',
      'set landfall.dev/providers to "aws,azure"',
      'set landfall.dev/quota-memory to "256"',
      'set landfall.dev/when-done to "delete"',
      'set landfall.dev/residency to "EU,CH"',
    ]);
  });
});

describe("wrong settings of a bundle", () => {
  it("are all told", () => {
    const names = ["aa", "bb", "cc", "dd", "ee", "ff", "gg"].map((name) => `${name}Percentage`);
    const settings = Object.fromEntries(names.map((name) => [name, 1]));
    expect(() => {
      refuse("b", problemsOf(settings));
    }).toThrow(new RegExp(names.join(".*"), "s"));
  });
});
