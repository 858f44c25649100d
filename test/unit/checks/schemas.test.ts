import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { generateSchemaChecks } from "../../../scripts/generate/generate-schema-checks.ts";

// The product compiles its schemas without looking whether they are schemas.
describe("schemas/", () => {
  const files = readdirSync("schemas").filter((file) => file.endsWith(".json"));

  it.each(files)("%s is a JSON Schema (draft-07)", (file) => {
    const schema = JSON.parse(readFileSync(join("schemas", file), "utf8")) as Record<string, unknown>;
    const ajv = new Ajv();
    expect(schema["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
    expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  });

  it("have checks that were written from them as they are", async () => {
    const outdated = await generateSchemaChecks({ check: true, data: "" });
    expect(outdated, "run npm run generate -- schema-checks").toEqual([]);
  });
});
