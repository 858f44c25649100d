import { describe, expect, it } from "vitest";
import schema from "../../../../schemas/vm-template.schema.json" with { type: "json" };
import clusterSchema from "../../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import {
  fieldOf,
  pathIn,
  rangeOf,
  readManifest,
  withPatch,
  withValue,
  written,
} from "../../../../web/src/pages/try/document/manifest.ts";
import { firstObject, type SchemaNode } from "../../../../web/src/pages/try/document/schema.ts";
import { controlOf, shownValue, typedValue } from "../../../../web/src/pages/try/form/field-value.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { checkAlone } from "../../../../src/admission/decide/decide.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { NOW } from "../../../support/admission.ts";

const TEXT = `# for the night
kind: VmTemplate
metadata: { name: web }
spec:
  cpu: 2 # two
  memory: 4
  osDisk:
    sizeGiB: 64
`;
const spec = schema as unknown as SchemaNode;
const nodeOf = (name: string): SchemaNode => spec.properties?.[name] ?? {};

describe("a document with two views", () => {
  it("keeps comments and the order of its fields when the form changes a value", () => {
    expect(withValue(TEXT, ["spec", "memory"], 8)).toBe(TEXT.replace("memory: 4", "memory: 8"));
    expect(withValue(TEXT, ["spec", "maxPrice"], "0.12")).toContain('maxPrice: "0.12"');
    expect(withValue(TEXT, ["spec", "ports", 0], { port: 22 })).toContain("ports:\n    - port: 22\n");
  });

  it("removes a map with its last field, and never the spec", () => {
    expect(readManifest(withValue(TEXT, ["spec", "osDisk", "sizeGiB"], undefined)).value?.["spec"]).toEqual({
      cpu: 2,
      memory: 4,
    });
    const bare = withValue(
      withValue(withValue(TEXT, ["spec", "osDisk", "sizeGiB"], undefined), ["spec", "cpu"], undefined),
      ["spec", "memory"],
      undefined,
    );
    expect(readManifest(bare).value?.["spec"]).toEqual({});
  });

  it("leaves a text that is not YAML as it is, and says where it is wrong", () => {
    const broken = "spec:\n  cpu: [1\n  memory: 4\n";
    expect(withValue(broken, ["spec", "cpu"], 2)).toBe(broken);
    const { value, faults } = readManifest(broken);
    expect(value).toBe(null);
    expect(faults[0]?.from).toBeGreaterThan(broken.indexOf("["));
    expect(readManifest("- a\n").faults[0]?.message).toBe("This is not an object.");
  });

  it("takes the change that a denial offers", () => {
    const patched = withPatch(TEXT, [
      { op: "test", path: "/spec/cpu", value: 2 },
      { op: "replace", path: "/spec/memory", value: 39 },
      { op: "remove", path: "/spec/osDisk" },
      { op: "add", path: "/spec/tags", value: { "a/b": "c" } },
      { op: "replace", path: "/spec/tags/a~1b", value: "d" },
    ]);
    expect(readManifest(patched).value?.["spec"]).toEqual({ cpu: 2, memory: 39, tags: { "a/b": "d" } });
  });

  it("finds the place of a field, or of what it would stand in", () => {
    const { from, to } = rangeOf(TEXT, pathIn("spec.osDisk.sizeGiB"));
    expect(TEXT.slice(from, to)).toBe("64");
    expect(TEXT.slice(rangeOf(TEXT, pathIn("spec.disks[0].name")).from)).toMatch(/^cpu: 2/);
    expect(fieldOf(pathIn("spec.nodePools[1].cpu"))).toBe("spec.nodePools[1].cpu");
  });

  it.each([
    ["VmTemplate", schema],
    ["KaasCluster", clusterSchema],
  ] as const)("begins with a %s that the bundle allows", async (kind, given) => {
    const object = firstObject(given, {
      apiVersion: "composition.krateo.io/v0-2-0",
      kind,
      namespace: "demo",
    });
    const { value } = readManifest(written(object));
    const decision = checkAlone({
      ...{ kind, object: value as unknown as WorkloadObject, policy: await loadPolicy(), nowSeconds: NOW },
      ...{ namespace: { name: "demo", labels: {}, annotations: {} }, relatedWorkloads: null, operation: "CREATE" },
    });
    expect(decision.denials).toEqual([]);
  });
});

describe("the fields of the form", () => {
  it("have a control for every field of both kinds but global", () => {
    for (const given of [schema, clusterSchema]) {
      const controls = Object.entries(given.properties as Record<string, SchemaNode>).map(([name, node]) => [
        name,
        controlOf(node),
      ]);
      expect(controls.filter(([, control]) => control === "yaml")).toEqual([["global", "yaml"]]);
    }
    expect(controlOf(nodeOf("ports"))).toBe("groups");
    expect(controlOf(nodeOf("userData"))).toBe("long");
    expect(controlOf(nodeOf("burstable"))).toBe("choice");
  });

  it.each([
    ["cpu", 4, "4"],
    ["cpu", "4x", "4x"],
    ["maxPrice", "0.12", "0.12"],
    ["burstable", false, "false"],
    ["dataResidency", ["EU", "CH"], "EU\nCH"],
    ["tags", { owner: "team-a", "a/b": "c=d" }, "owner=team-a\na/b=c=d"],
  ])("write %s %j as %j and read it again", (name, value, text) => {
    expect(shownValue(nodeOf(name), value)).toBe(text);
    expect(typedValue(nodeOf(name), text)).toEqual(value);
  });

  it("remove a field whose text is empty", () => {
    expect(typedValue(nodeOf("cpu"), "")).toBe(undefined);
    expect(typedValue(nodeOf("dataResidency"), "\n")).toBe(undefined);
  });
});
