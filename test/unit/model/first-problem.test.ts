import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/bundle/read-settings.ts";
import { checkForecastSettings } from "../../../src/external-data/forecasts/read-settings.ts";
import { readForecastFile } from "../../../src/external-data/forecasts/read-forecast-file.ts";
import { readTenants } from "../../../src/elemento/tenants.ts";
import { readCase } from "../../../src/testing/read-case.ts";
import { asLandfallError } from "../../../src/errors.ts";
import { readManifests } from "../../../src/kops/read-manifests.ts";
import { checkCatalog } from "../../../src/bundle/catalog/check-catalog.ts";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import { defaultProblem } from "../../../src/composition/definition/lint/default-problem.ts";
import { answerChecker } from "../../../src/external-data/forecasts/answer-checker.ts";
import { readAnswer } from "../../../src/elemento/api/transport/read-answer.ts";
import { compileSchema } from "../../../src/model/schemas/compile-schema.ts";
import { glob, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function messageOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (thrown) {
    const { message, remedy } = asLandfallError(thrown);
    return `${message}; ${remedy}`;
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

const CLUSTER = {
  ...{ apiVersion: "kops.k8s.io/v1alpha2", kind: "Cluster", metadata: { name: "a" } },
  spec: { cloudProvider: "aws", kubernetesVersion: "1.34.2" },
};
const GROUP = { apiVersion: "kops.k8s.io/v1alpha2", kind: "InstanceGroup", metadata: { name: "n" } };

/** The catalog of this repository with another table of instance types. */
async function catalogWith(types: object): Promise<void> {
  const files = await readCatalog("catalog");
  const instanceTypes = { ...files.instanceTypes, providers: { ...files.instanceTypes.providers, aws: types } };
  checkCatalog({ ...files, instanceTypes } as typeof files, "catalog");
}

const TYPE = { family: "m", class: "standard", arch: "amd64", vcpus: 2, memoryGiB: 8, reference: null, prices: [] };

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
      "expect {} is empty; write a map with allowed, codes or other fields, e.g. expect: {allowed: true}",
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
    [
      "a version of kOps that YAML reads as a number",
      'Cluster a: spec.kubernetesVersion 1.3 is a number; write a version in quotes, e.g. kubernetesVersion: "1.34.2"',
      () => readManifests("f", [{ ...CLUSTER, spec: { ...CLUSTER.spec, kubernetesVersion: 1.3 } }]),
    ],
    [
      "a network of kOps without its length",
      'Cluster a: spec.networkCIDR "10.0.0.0" has no prefix length; write an IPv4 network, e.g. networkCIDR: 10.0.0.0/16',
      () => readManifests("f", [{ ...CLUSTER, spec: { ...CLUSTER.spec, networkCIDR: "10.0.0.0" } }]),
    ],
    [
      "a size of kOps in words",
      'InstanceGroup n: spec.minSize "two" is not a whole number; write a whole number of nodes, e.g. minSize: 2',
      () => readManifests("f", [CLUSTER, { ...GROUP, spec: { role: "Node", machineType: "a", minSize: "two" } }]),
    ],
    [
      "a group of kOps without a type",
      "InstanceGroup n: spec.machineType is missing; write an instance type, e.g. machineType: m7i.large",
      () => readManifests("f", [CLUSTER, { ...GROUP, spec: { role: "Node" } }]),
    ],
    [
      "a catalog's type without memory",
      "catalog/instance-types.json has data of the wrong shape: providers.aws.types.a.memoryGiB 0 is not more than 0; write a number of more than 0; correct it at its source",
      () => catalogWith({ regions: ["r"], types: { a: { ...TYPE, memoryGiB: 0 } } }),
    ],
    [
      "another architecture in a catalog",
      'providers.aws.types.a.arch "aarch64" is not one of amd64, arm64; write one of amd64, arm64',
      () => catalogWith({ regions: ["r"], types: { a: { ...TYPE, arch: "aarch64" } } }),
    ],
  ])("%s", async (_name, problem, run) => {
    const message = await messageOf(run);
    expect(message).toContain(problem);
    expect(message).not.toMatch(/must (?:NOT|be|have|match)|another value/);
  });
});

describe("a default that its own schema refuses", () => {
  it.each([
    [{ type: "integer", minimum: 5, default: 1 }, "it 1 is less than 5; write 5 or more"],
    [
      { type: "object", properties: { size: { $ref: "#/$defs/size" } }, default: { size: "big" } },
      'size "big" is not one of S, M; write one of S, M',
    ],
    [
      {
        type: "object",
        properties: { mode: { anyOf: [{ type: "integer" }, { const: "auto" }] } },
        default: { mode: [] },
      },
      "mode [] is not valid; write another value",
    ],
  ])("%j", (schema, problem) => {
    expect(defaultProblem(schema, { $defs: { size: { type: "string", enum: ["S", "M"] } } })).toBe(problem);
  });
});

describe("an answer of a service is explained in words, without its values", () => {
  const SCHEMA = {
    type: "object",
    required: ["zones"],
    properties: {
      zones: { type: "array", minItems: 1, items: { type: "string" } },
      token: { type: "string", pattern: "^[a-z]+$", title: "a token of lower-case letters" },
      unit: { enum: ["g", "kg"] },
    },
  };

  it.each<[unknown, string]>([
    [[], "the answer is a list, and not a map"],
    [{}, "zones is missing"],
    [{ zones: null }, "zones is null, and not a list"],
    [{ zones: [] }, "zones has too few entries"],
    [{ zones: ["a", 7] }, "zones[1] is a number, and not a text"],
    [{ zones: ["a"], token: "S3CR3T" }, "token is not a token of lower-case letters"],
    [{ zones: ["a"], unit: "lb" }, "unit is not one of g, kg"],
  ])("%j", async (answer, problem) => {
    const forecast = await messageOf(() => answerChecker(SCHEMA)("EM", answer));
    expect(forecast).toContain(`EM did not return a valid forecast: ${problem}; `);
    const elemento = await messageOf(() =>
      readAnswer({ operation: "list", status: 200, text: JSON.stringify(answer) }, compileSchema(SCHEMA)),
    );
    expect(elemento).toContain(`is not valid: ${problem}; `);
    expect(`${forecast}${elemento}`).not.toMatch(/S3CR3T|must (?:NOT|be|have|match)/);
  });
});

it("only these files read what a validator says: others ask them for words", async () => {
  const own = ["explain-errors.ts", "first-problem.ts"].map((name) => `src/model/wrong-value/${name}`);
  const found: string[] = [];
  for await (const file of glob("{src,webhook}/**/*.ts"))
    if (/errorsText|instancePath/.test(await readFile(file, "utf8"))) found.push(file);
  expect(found.toSorted()).toEqual(own);
});
