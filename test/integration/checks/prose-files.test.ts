import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { proseFiles } from "../../../scripts/check/check-prose.ts";

const files = await proseFiles(fileURLToPath(new URL("../../..", import.meta.url)));

describe("the files of the prose check", () => {
  it.each([
    ["README.md", "a page at the top"],
    ["docs/operations/install.md", "a page of the documentation"],
    ["src/errors.ts", "a file directly in src"],
    ["src/cli/commands/diff/diff.ts", "a file deep in src"],
    ["webhook/main.ts", "a file directly in webhook"],
    ["policies/bundle/landfall/main.rego", "a policy"],
    ["charts/kaas-cluster/templates/aws/cluster.yaml", "a template of a chart"],
    ["charts/landfall/definitions/landfall.dev_placementreports.yaml", "a CRD"],
    ["schemas/catalog.schema.json", "a schema"],
  ])("include %s: %s", (file) => {
    expect(files).toContain(file);
  });

  it("do not include tests and scripts", () => {
    expect(files.filter((file) => /^(test|scripts)\/.*\.ts$/.test(file))).toEqual([]);
  });
});
