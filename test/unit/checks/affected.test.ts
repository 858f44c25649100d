import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { affected } from "../../affected.ts";

const EXAMPLES = [
  ["policies/bundle/landfall/main.rego", "policies", "test/integration/policy/"],
  ["catalog/places.json", "generated files", "test/unit/policy/"],
  ["charts/vmtemplate/values.yaml", "charts", "test/integration/charts/"],
  ["schemas/catalog.schema.json", "generated files", "test/unit/checks/schemas.test.ts"],
  [".github/workflows/ci.yml", "workflows", "test/integration/workflows.test.ts"],
] as const;

describe("what a change needs", () => {
  it.each(EXAMPLES)("%s: the check %s and %s", (file, check, test) => {
    const { checks, tests } = affected([file]);
    expect(checks).toContain(check);
    expect(tests).toContain(test);
  });

  it("is the docs check for a page, and the generated files for the error codes", () => {
    expect(affected(["docs/why.md"]).checks).toEqual(expect.arrayContaining(["docs", "prose"]));
    expect(affected(["src/errors.ts"]).checks).toContain("generated files");
  });

  it("is no further test for a source file, whose imports vitest follows", () => {
    expect(affected(["src/cli/main.ts"])).toEqual({ checks: affected([]).checks, tests: [] });
  });

  it("names tests that exist", () => {
    const { tests } = affected(EXAMPLES.map(([file]) => file));
    expect(tests.filter((test) => !existsSync(test))).toEqual([]);
  });
});
