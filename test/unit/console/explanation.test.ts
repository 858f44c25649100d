import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { createExplainer } from "../../../src/console/explanation/create-explainer.ts";
import { regoSources } from "../../../src/console/explanation/rego-sources.ts";
import { ruleLines } from "../../../src/console/explanation/rule-lines.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { context, create, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy, policyFile } from "../../support/load-policy.ts";

const NAMESPACE = { name: "demo", labels: {}, annotations: {} };
const OF_PARIS = { ...NAMESPACE, annotations: { "landfall.dev/origin": "aws/eu-west-3" } };
const LABELLED = { ...NAMESPACE, labels: { "landfall.dev/origin": "aws_eu-west-3" } };
const ASKED = { cpu: 8, memory: 32, duration: "3h", maxLatency: 60, dataResidency: ["EU"] };

const sources = async (): Promise<Map<string, string>> => regoSources(await readFile(await policyFile()), "bundle");

async function explainer() {
  return createExplainer({
    policy: await loadPolicy(),
    ruleLine: ruleLines(await sources()),
    nowSeconds: () => NOW,
    forecasts: () => null,
  });
}

const undecided = (spec: Record<string, unknown> = {}): Resource =>
  vm({ cpu: 2, memory: 4, ...spec }, { uid: "1", creationTimestamp: "2026-11-20T22:00:00Z" }) as Resource;

async function decided(): Promise<Resource> {
  const asked = vm(ASKED, { uid: "1", creationTimestamp: "2026-11-20T22:00:00Z" });
  return patched(asked, admit(create(asked), context(await loadPolicy(), NOW))) as Resource;
}

describe("the lines of the rules", () => {
  it("are found for every step that the policies name, where that rule removes places", async () => {
    const files = await sources();
    const lineOf = ruleLines(files);
    const textOf = (rule: string): string | undefined => {
      const { file = "", line = 0 } = lineOf(rule) ?? {};
      return files.get(file)?.split("\n")[line - 1];
    };
    const main = files.get("landfall/main.rego") ?? "";
    const steps = [...main.matchAll(/\{"rule": "(\w+)"/g)].map(([, rule = ""]) => rule);
    expect(steps).toContain("residency");
    for (const rule of steps)
      expect([rule, textOf(rule)]).toEqual([rule, expect.stringMatching(/^(remaining|offers) := \[/)]);
    expect(lineOf("latencyDefault")?.file).toBe("landfall/latency.rego");
    expect(textOf("latencyDefault")).toMatch(/^preferred := /);
    expect(lineOf("constructor")).toBeNull();
  });
});

describe("an explanation", () => {
  it("gives the recorded place and start, and every place with its figures or the rule that removed it", async () => {
    const found = (await explainer()).explain(await decided(), NAMESPACE);
    expect(found).toMatchObject({ sameBundle: true, sameResult: true, allowed: true, at: "2026-11-20T22:00:00Z" });
    expect(found.candidates).toHaveLength(found.considered);
    expect(new Set(found.candidates.map(({ place }) => place)).size).toBe(found.considered);
    const allowed = found.candidates.filter(({ rule }) => rule === null);
    expect(allowed).toHaveLength(found.funnel.at(-1)?.remaining ?? 0);
    for (const { grams, start, instanceType } of allowed)
      expect([typeof grams, typeof start, typeof instanceType]).toEqual(["number", "string", "string"]);
    expect(found.funnel[0]).toMatchObject({ rule: "residency", source: { file: "landfall/residency.rego" } });
  });

  it.each([
    ["its own field", { origin: "gcp/us-east1" }, NAMESPACE, { place: "gcp/us-east1", from: "object" }],
    ["its namespace's annotation", {}, OF_PARIS, { place: "aws/eu-west-3", from: "namespace" }],
    ["its namespace's label", {}, LABELLED, { place: "aws/eu-west-3", from: "namespace" }],
    ["the platform's default", {}, NAMESPACE, { place: "azure/italynorth", from: "platform" }],
  ])("names the place that latency is measured from, and who names it: %s", async (_, spec, namespace, origin) => {
    const asked = undecided(spec);
    expect((await explainer()).explain(asked, namespace).origin).toEqual(origin);
  });

  it("does not call its bundle another one where no decision is recorded", async () => {
    expect((await explainer()).explain(undecided(), NAMESPACE).sameBundle).toBeNull();
  });

  it("says so if the decision would be another one now", async () => {
    const object = await decided();
    const other = { ...object, spec: { ...object.spec, cpu: 2, memory: 4, provider: "aws" } };
    const annotations = object.metadata.annotations ?? {};
    const moved = JSON.stringify(annotations).replace(/europe-north2|eu-north-1|swedencentral/g, "elsewhere");
    const found = (await explainer()).explain(
      { ...other, metadata: { ...other.metadata, annotations: JSON.parse(moved) as Record<string, string> } },
      NAMESPACE,
    );
    expect(found).toMatchObject({ sameBundle: true, sameResult: false });
  });
});

describe("another place", () => {
  it("has its figures where the rules allow it", async () => {
    const found = (await explainer()).whatIf(await decided(), NAMESPACE, "azure/francecentral");
    expect(found).toMatchObject({
      allowed: true,
      denials: [],
      patch: null,
      candidate: { place: "azure/francecentral" },
    });
  });

  it("has the smallest change that it takes, where they do not", async () => {
    const tested = await explainer();
    const object = await decided();
    const found = tested.whatIf(object, NAMESPACE, "aws/eu-central-2");
    expect(found).toMatchObject({ allowed: false, candidate: null, denials: [{ code: "POL_RESIDENCY" }] });
    const patch = JSON.parse(found.patch ?? "[]") as { path: string; value: unknown }[];
    expect(patch).toHaveLength(1);
    expect(patch[0]?.path).toBe("/spec/dataResidency");
    const changed = { ...object, spec: { ...object.spec, dataResidency: patch[0]?.value } };
    expect(tested.whatIf(changed, NAMESPACE, "aws/eu-central-2").allowed).toBe(true);
  });
});
