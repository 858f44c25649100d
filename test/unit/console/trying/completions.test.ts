import { describe, expect, it } from "vitest";
import clusterSchema from "../../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmSchema from "../../../../schemas/vm-template.schema.json" with { type: "json" };
import { type Choices, choicesAt } from "../../../../web/src/pages/try/editor/completions.ts";
import { objectSchema, type SchemaNode } from "../../../../web/src/pages/try/document/schema.ts";

const schemaOf = (kind: "VmTemplate" | "KaasCluster"): SchemaNode =>
  objectSchema(kind === "VmTemplate" ? vmSchema : clusterSchema, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind },
  });

/** Completes where the text has a `|`. */
function at(text: string, kind: "VmTemplate" | "KaasCluster" = "VmTemplate"): Choices | null {
  const offset = text.indexOf("|");
  return choicesAt(text.replace("|", ""), offset, schemaOf(kind), { places: ["aws/eu-north-1", "gcp/europe-north2"] });
}

const labels = (choices: Choices | null): string[] => (choices?.options ?? []).map(({ label }) => label);

describe("completion by the schema", () => {
  it("offers the fields of the map at the cursor, in the author's order, without those that are there", () => {
    expect(labels(at("kind: VmTemplate\n|"))).toEqual(["apiVersion", "metadata", "spec"]);
    const found = at("spec:\n  cpu: 2\n  |\n  duration: 3h\n");
    expect(labels(found).slice(0, 3)).toEqual(["memory", "maxLifetime", "whenDone"]);
    expect(found?.options[0]).toMatchObject({ apply: "memory: ", detail: "GiB", info: "Minimum memory in GiB." });
    expect(labels(at("metadata:\n  name: web\n  |"))).toEqual(["namespace", "labels", "annotations"]);
  });

  it("knows where it is in lists of maps, also when the dashes stand below their key", () => {
    const pools = at("spec:\n  nodePools:\n    - name: a\n      |", "KaasCluster");
    expect(labels(pools)).toContain("cpu");
    expect(labels(pools)).not.toContain("name");
    expect(labels(at("spec:\n  nodePools:\n  - name: a\n    cpu: 2\n  - |\n", "KaasCluster"))).toContain("name");
    expect(labels(at("spec:\n  nodePools:\n  - name: a\n    taints:\n    - key: x\n      |", "KaasCluster"))).toEqual([
      ...["value", "effect"],
    ]);
    expect(labels(at("spec:\n  nodePools:\n  - name: a\n  ken|\n", "KaasCluster"))).toContain("kubernetesVersion");
  });

  it("offers values: those of an enum, places of the catalog, or an example", () => {
    expect(labels(at("spec:\n  whenDone: |"))).toEqual(["delete", "stop", "keep"]);
    expect(labels(at("spec:\n  burstable: t|"))).toEqual(["true", "false"]);
    expect(labels(at("spec:\n  origin: |"))).toEqual(["aws/eu-north-1", "gcp/europe-north2"]);
    expect(labels(at("spec:\n  maxPrice: |"))).toEqual(['"0.12"']);
    expect(at("spec:\n  whenDone: de|")?.from).toBe("spec:\n  whenDone: ".length);
  });

  it("begins a map or a list on its own line", () => {
    const apply = (name: string): string | undefined =>
      at("spec:\n  |")?.options.find(({ label }) => label === name)?.apply;
    expect(apply("osDisk")).toBe("osDisk:\n    ");
    expect(apply("ports")).toBe("ports:\n    - ");
  });

  it("offers nothing in comments, flow style and unknown fields", () => {
    expect(at("spec:\n  # |")).toBe(null);
    expect(at("spec: {cp|")).toBe(null);
    expect(at("spec:\n  unknown:\n    |")).toBe(null);
  });

  it("gives an answer at every position of a text", () => {
    const text = "a\n- b:\n  - c: d\n   e\n\n\t- \n---\n- - - x: y\nspec:\n  ports:\n  - port: 22\n";
    for (let offset = 0; offset <= text.length; offset++)
      expect(() => choicesAt(text, offset, schemaOf("VmTemplate"), { places: [] })).not.toThrow();
  });
});
