import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import { readSettings } from "../../../src/bundle/read-settings.ts";
import { readTenants } from "../../../src/elemento/tenants.ts";
import { readForecastSettings } from "../../../src/external-data/forecasts/read-settings.ts";
import { jsonFault } from "../../../src/model/file-faults/parse-json.ts";
import { parseYamlFile } from "../../../src/model/file-faults/parse-yaml.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "landfall-faults-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a YAML file with a fault", () => {
  it.each<[string, (file: string) => Promise<unknown>]>([
    ["of bundle settings", readSettings],
    ["of tenants", (file) => readTenants(file, "landfall-system")],
    ["of forecast settings", readForecastSettings],
  ])("%s is reported by its line, and what to write", async (_what, read) => {
    const file = join(folder, "file.yaml");
    await writeFile(file, "first: 1\n\tsecond: 2\n");
    await expect(read(file)).rejects.toMatchObject({
      params: { detail: 'line 2, column 1: "second: 2" is indented with a tab; write spaces instead' },
    });
  });

  it.each([
    ["a: 1\n---\nb: 2\n", "it has several documents; write one, without ---"],
    [
      "a: *b\n",
      'line 1, column 4: "a: *b" has *b, and no &b before it; write the values themselves, or put a text with * in quotes',
    ],
    ["a: {b:1}\n", 'line 1, column 5: "a: {b:1}" has no space after a colon; write b: 1'],
    ["a: 1, b: 2\n", 'line 1, column 4: "a: 1, b: 2" has several fields; write each on a line of its own, without ","'],
    [
      "a: ${B}: c\n",
      'line 1, column 4: "a: ${B}: c" has ${ } of a variable, which is not filled in; fill it in first, e.g. with envsubst',
    ],
  ])("%j", (text, problem) => {
    expect(parseYamlFile(text)).toEqual({ problem });
  });

  it("is read if it has none", () => {
    expect(parseYamlFile("a: {b: [1]}\n")).toEqual({ value: { a: { b: [1] } } });
  });
});

/** The fault of a text as its parser reports it. */
function faultOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (thrown) {
    return jsonFault(text, thrown);
  }
  return "none";
}

describe("a JSON file with a fault", () => {
  it.each([
    ['{\n  "a": 1,\n}', 'line 3, column 1: "}" has a comma before a closing bracket; remove it'],
    ['{\n  // one\n  "a": 1}', 'line 2, column 3: "// one" has a comment, which JSON does not have; remove it'],
    ['{"a": 1 /* one */}', "has a comment, which JSON does not have"],
    ['{"a": "https://a//b" "c": 1}', "line 1, column 22: "],
    ["{'a': 1}", 'has a text in single quotes; write " instead'],
    ["{a: 1}", "has a name without quotes; put it in double quotes"],
    ['{"a": 1', 'line 1, column 8: "{\\"a\\": 1" is not JSON'],
    ["  ", "it is empty, and not JSON"],
  ])("%j is reported by its line", (text, says) => {
    expect(faultOf(text)).toContain(says);
  });

  it("of the catalog names the file", async () => {
    await writeFile(join(folder, "places.json"), '{"a": 1,}');
    await expect(readCatalog(folder)).rejects.toMatchObject({ code: "BUNDLE_DATA" });
  });
});
