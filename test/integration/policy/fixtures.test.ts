import { readFileSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import inputSchema from "../../../schemas/policy-input.schema.json" with { type: "json" };
import resultSchema from "../../../schemas/policy-result.schema.json" with { type: "json" };
import { policyInput } from "../../../src/admission/decide/policy-input.ts";
import { readRequest } from "../../../src/admission/check/read-request.ts";
import { runProgram } from "../../../src/bundle/run-program.ts";
import type { PolicyInput, PolicyResult } from "../../../src/model/policy.ts";
import { loadBundle, type LoadedBundle } from "../../../src/policy/load-bundle.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { vm } from "../../support/admission.ts";
import { builtBundle } from "../../support/bundles/built-bundle.ts";

const FOLDER = "test/fixtures/policy";
const inputs = Object.fromEntries(
  readdirSync(FOLDER).map((file) => [
    file.replace(".json", ""),
    JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as PolicyInput,
  ]),
);

interface Expected {
  /** Codes of the denials, in their order. */
  codes?: string[];
  warnings?: string[];
  /** The last step's rule and whether it left something. */
  ends?: string;
  /** Place -> instance type that must be among the candidates. */
  has?: Record<string, string>;
  /** Places that must not be. */
  lacks?: string[];
}

const DEFAULT_ORIGIN = ["POL_ORIGIN_DEFAULT"];

/** What each request has to get; figures of the catalog appear only where they are the point. */
const EXPECTED: Record<string, Expected> = {
  anywhere: {
    has: { "azure/italynorth": "Standard_D2als_v6", "aws/us-east-1": "c6a.large", "elemento/ovh-fr-paris": "argon2" },
  },
  arm64: { ends: "flavour", lacks: ["elemento/ovh-fr-paris"], has: { "gcp/us-central1": "t2a-standard-2" } },
  burstable: { has: { "azure/eastus": "Standard_B2als_v2", "gcp/us-central1": "e2-standard-2" } },
  large: { lacks: ["elemento/ovh-fr-paris"], has: { "aws/us-east-1": "x1e.16xlarge" } },
  "too-large": { codes: ["PLACEMENT_NONE"] },
  tiny: { has: { "elemento/ovh-fr-paris": "neon" } },
  "residency-eu": {
    lacks: ["azure/uksouth", "azure/switzerlandnorth", "azure/norwayeast"],
    has: { "aws/eu-west-1": "c6a.large" },
  },
  "residency-gdpr-or-us": {
    lacks: ["azure/canadacentral", "azure/southeastasia"],
    has: { "azure/eastus": "Standard_D2als_v6" },
  },
  "residency-unknown": { codes: ["POL_UNKNOWN_AREA"] },
  "near-default-origin": {
    warnings: DEFAULT_ORIGIN,
    has: { "azure/italynorth": "Standard_D2als_v6" },
    lacks: ["aws/eu-west-1"],
  },
  "near-other-origin": {
    warnings: ["POL_LATENCY_ESTIMATED"],
    lacks: ["azure/italynorth"],
    has: { "aws/eu-west-2": "c6a.large" },
  },
  "near-elemento-origin": { warnings: ["POL_LATENCY_ESTIMATED"], has: { "elemento/ovh-fr-gravelines": "argon2" } },
  "near-place-without-coordinates": { codes: ["PLACEMENT_NONE"], ends: "flavour" },
  "origin-unknown": { codes: ["POL_UNKNOWN_ORIGIN"] },
  "eu-and-near": { warnings: ["POL_LATENCY_ESTIMATED"], has: { "aws/eu-central-1": "c5a.large" } },
  debian: { lacks: ["elemento/ovh-fr-paris"], has: { "azure/italynorth": "Standard_D2als_v6" } },
  cost: { warnings: ["POL_PRICE_UNKNOWN"] },
  "pinned-provider": { has: { "elemento/gigas-lisbon": "argon2" }, lacks: ["azure/italynorth"] },
  "pinned-provider-unknown": { codes: ["POL_UNKNOWN_PROVIDER"] },
  "pinned-region": { has: { "gcp/europe-west8": "e2-standard-2" } },
  "pinned-region-without-provider": { has: { "azure/swedencentral": "Standard_D2als_v6" } },
  "pinned-region-unknown": { codes: ["POL_UNKNOWN_REGION"], ends: "region" },
  "pinned-region-outside-area": { codes: ["POL_RESIDENCY"], ends: "residency" },
  "pinned-region-too-far": { codes: ["POL_LATENCY"], warnings: DEFAULT_ORIGIN, ends: "latency" },
  "pinned-region-latency-unknown": { codes: ["POL_LATENCY"], warnings: DEFAULT_ORIGIN, ends: "latency" },
  "pinned-region-without-image": { codes: ["POL_IMAGE"], ends: "image" },
  "pinned-region-without-feature": { codes: ["POL_FEATURE"], ends: "feature" },
  ports: { ends: "flavour", lacks: ["elemento/ovh-fr-paris"] },
  "pinned-region-too-small": { codes: ["POL_FLAVOUR"], ends: "flavour" },
  "pinned-type": { has: { "azure/eastus": "Standard_D4s_v5" }, lacks: ["aws/us-east-1"] },
  "pinned-type-too-small": { codes: ["POL_INSTANCE_TYPE"] },
  "pinned-type-in-region-without-it": { codes: ["POL_INSTANCE_TYPE"] },
  "pinned-zone": { has: { "gcp/europe-west4": "e2-standard-2" }, lacks: ["gcp/europe-west1"] },
  "pinned-zone-elsewhere": { codes: ["POL_ZONE"] },
  "pinned-image": {
    warnings: ["POL_IMAGE_UNPINNED"],
    has: { "aws/us-east-1": "c6a.large" },
    lacks: ["azure/italynorth", "elemento/ovh-fr-paris"],
  },
  "existing-network": { has: { "azure/italynorth": "Standard_D2als_v6" } },
  "existing-network-unpinned": { codes: ["POL_NETWORK_UNPINNED"] },
  "namespace-settings": { has: { "gcp/europe-west4": "e2-standard-2" }, lacks: ["aws/eu-west-1", "azure/uksouth"] },
  "namespace-labels": { has: { "azure/francecentral": "Standard_D2als_v6" }, lacks: ["aws/eu-west-3"] },
  "namespace-refuses-provider": { codes: ["POL_PROVIDER"], ends: "provider" },
  "namespace-setting-wrong": { codes: ["POL_NAMESPACE_SETTING", "POL_NAMESPACE_SETTING"] },
  cluster: { codes: ["PLACEMENT_NONE"], ends: "flavour" },
  "cluster-pools": {
    has: { "azure/italynorth": "Standard_D2as_v6", "gcp/europe-west4": "e2-standard-2" },
    lacks: ["elemento/ovh-fr-paris"],
  },
  "cluster-gpu": { lacks: ["azure/westcentralus"], has: { "aws/eu-west-1": "m5a.large" } },
  "cluster-version": {
    warnings: ["POL_KUBERNETES_ENDS", "POL_KUBERNETES_ENDS"],
    has: { "elemento/ovh-fr-paris": "neon" },
    lacks: ["gcp/europe-west4"],
  },
  "cluster-version-ended": { codes: ["POL_KUBERNETES_ENDED"], ends: "cluster" },
};

let bundle: LoadedBundle;
let interpreted: Record<string, PolicyResult>;
let remove: () => Promise<void>;

/** All fixtures in one run of opa's own interpreter, over the same tarball. */
async function interpret(tarball: string, folder: string): Promise<Record<string, PolicyResult>> {
  const file = join(folder, "inputs.json");
  await writeFile(file, JSON.stringify({ inputs }));
  const query =
    "{name: result | some name, request in data.inputs; result := data.landfall.main.result with input as request}";
  const { stdout, stderr } = await runProgram(await toolPath("opa"), [
    "eval",
    "--bundle",
    tarball,
    "--data",
    file,
    "--format",
    "raw",
    query,
  ]);
  expect(stderr).toBe("");
  return JSON.parse(stdout.toString("utf8")) as Record<string, PolicyResult>;
}

beforeAll(async () => {
  const built = await builtBundle();
  remove = built.remove;
  bundle = await loadBundle(built.bytes, "test");
  interpreted = await interpret(built.path, built.folder);
});

afterAll(() => remove());

const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true });
const checkInput = ajv.compile(inputSchema);
const checkResult = ajv.compile(resultSchema);

describe("every request of test/fixtures/policy", () => {
  it("has an expectation, and every expectation a request", () => {
    expect(Object.keys(inputs).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  for (const [name, input] of Object.entries(inputs)) {
    describe(name, () => {
      it("follows the schemas of input and result", () => {
        expect(checkInput(input), JSON.stringify(checkInput.errors)).toBe(true);
        expect(checkResult(bundle.evaluate(input)), JSON.stringify(checkResult.errors)).toBe(true);
      });

      it("has the same clock as a real request at that time", () => {
        const request = readRequest("VmTemplate", vm({}));
        const namespace = { name: "demo", labels: {}, annotations: {} };
        const nowSeconds = Date.parse(input.clock.time) / 1000;
        const asked = {
          object: vm({}),
          request,
          operation: "CREATE",
          namespace,
          nowSeconds,
          relatedWorkloads: null,
        } as const;
        expect(input.clock).toEqual(policyInput(asked).clock);
      });

      it("gets the same answer from WASM and from opa's interpreter", () => {
        expect(bundle.evaluate(input)).toEqual(interpreted[name]);
      });

      it("gets the expected answer", () => {
        const expected = EXPECTED[name] ?? {};
        const result = bundle.evaluate(input);
        expect(result.denials.map(({ code }) => code)).toEqual(expected.codes ?? []);
        expect(result.warnings.map(({ code }) => code)).toEqual(expected.warnings ?? []);
        if (expected.ends !== undefined) expect(result.funnel.at(-1)?.rule).toBe(expected.ends);
        const types = Object.fromEntries(result.candidates.map(({ place, instanceType }) => [place, instanceType]));
        expect(types).toMatchObject(expected.has ?? {});
        for (const place of expected.lacks ?? []) expect(types).not.toHaveProperty(place);
      });
    });
  }
});

describe("the answer", () => {
  it("lists candidates and rejected places by name, each place once", () => {
    for (const input of Object.values(inputs)) {
      const { candidates, rejected, considered } = bundle.evaluate(input);
      const places = candidates.map(({ place }) => place);
      expect(places).toEqual([...places].sort());
      const all = [...places, ...Object.values(rejected).flat()];
      expect(new Set(all).size).toBe(considered);
      expect(all.length).toBe(considered);
    }
  });

  it("is the same for the same input", () => {
    for (const input of Object.values(inputs))
      expect(JSON.stringify(bundle.evaluate(input))).toBe(JSON.stringify(bundle.evaluate(input)));
  });
});
