import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/bundle/read-settings.ts";
import { checkForecastSettings } from "../../../src/external-data/forecasts/read-settings.ts";
import { readForecastFile } from "../../../src/external-data/forecasts/read-forecast-file.ts";
import { readTenants } from "../../../src/elemento/tenants.ts";
import { readCase } from "../../../src/testing/read-case.ts";
import { asLandfallError } from "../../../src/errors.ts";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function messageOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (thrown) {
    return asLandfallError(thrown).message;
  }
  return "";
}

async function fileOf(text: string, name: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "landfall-problem-")), name);
  await writeFile(file, text);
  return file;
}

const MAPS = { name: "EM", type: "electricity-maps", tokenFile: "t", horizonHours: 24 };
const FILE = { name: "own", type: "file", path: "x.csv" };
const CASE = "object: {apiVersion: a/v1, kind: VmTemplate, metadata: {}}\n";

describe("a file that its schema refuses is explained in words", () => {
  it.each<[string, string, () => unknown]>([
    [
      "a field of no source",
      'sources[0].provider "x" is not a field; remove it; the fields here are type, name, path, zones, refreshMinutes, maxAgeHours',
      () => checkForecastSettings({ sources: [{ ...FILE, provider: "x" }] }, "f"),
    ],
    [
      "an unknown type",
      'sources[0].type "watt-time" is not one of file, electricity-maps, carbon-aware-sdk, open-inference, embedded; write one of file,',
      () => checkForecastSettings({ sources: [{ name: "x", type: "watt-time" }] }, "f"),
    ],
    [
      "no path",
      "sources[0].path is missing; write a text (CSV or JSON file, relative to the settings)",
      () => checkForecastSettings({ sources: [{ name: "x", type: "file" }] }, "f"),
    ],
    [
      "a wrong number",
      "sources[0].http.retries 99 is more than 10; write 10 or less",
      () => checkForecastSettings({ sources: [{ ...MAPS, http: { retries: 99 } }] }, "f"),
    ],
    ["a list for a map", "it [] is not a map; write its fields", () => checkForecastSettings([], "f")],
    [
      "a misspelt field of the bundle settings",
      'signature "off" is not a field; write signatures: "off"',
      async () => readSettings(await fileOf("signature: off\n", "b.yaml")),
    ],
    [
      "a wrong mode",
      'signatures "maybe" is not one of required, optional, off; write one of required, optional, off',
      async () => readSettings(await fileOf("signatures: maybe\n", "b.yaml")),
    ],
    [
      "an unknown field of a case",
      "expect.code [A] is not a field; write codes: [A]",
      () => readCase(`${CASE}expect: {code: [A]}\n`, "c", "c"),
    ],
    [
      "a case that expects nothing",
      "expect {} is empty; write a map (the expected result)",
      () => readCase(`${CASE}expect: {}\n`, "c", "c"),
    ],
    [
      "an unknown kind",
      'object.kind "Vm" is not one of VmTemplate, KaasCluster; write one of VmTemplate, KaasCluster',
      () => readCase("object: {apiVersion: a/v1, kind: Vm, metadata: {}}\nexpect: {allowed: true}\n", "c", "c"),
    ],
    [
      "tenants",
      "namespaces.a.adresses 5 is not a field; write addresses: 5",
      async () => readTenants(await fileOf("namespaces: {a: {adresses: 5}}\n", "t.yaml"), "own"),
    ],
    [
      "a forecast",
      "zones.IT.values is missing; write a list",
      async () => readForecastFile(await fileOf('{"zones": {"IT": {"start": "x"}}}', "f.json"), "own", 2000),
    ],
  ])("%s", async (_name, problem, run) => {
    const message = await messageOf(run);
    expect(message).toContain(problem);
    expect(message).not.toMatch(/must (?:NOT|be|have|match)|another value/);
  });
});
