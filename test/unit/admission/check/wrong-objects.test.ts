import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isMap, parse, parseDocument, type YAMLSeq } from "yaml";
import { admit } from "../../../../src/admission/admit.ts";
import { checkAlone, decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Decision, Denial } from "../../../../src/model/decision.ts";
import { KUBERNETES_YAML } from "../../../../src/model/formats/kubernetes-yaml.ts";
import type { Kind } from "../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, vm } from "../../../support/admission.ts";
import { type WrongObject, WRONG_OBJECTS, wrongObjects } from "../../../support/wrong-objects.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import jsonPatch, { type Operation } from "fast-json-patch";

const cases = wrongObjects();
const policy = await loadPolicy();

function objectOf({ kind = "VmTemplate", bare = kind === "KaasCluster", write }: WrongObject): WorkloadObject {
  const spec = parse(write, KUBERNETES_YAML) as Record<string, unknown>;
  return { ...vm(bare ? spec : { cpu: 2, memory: 4, ...spec }), kind };
}

const decided = (object: WorkloadObject): Decision =>
  decideAlone({ ...context(policy), kind: object.kind as Kind, object, operation: "CREATE" });

const textOf = ({ code, message, remedy }: Denial): string => `${code} ${message}; ${remedy}`;

/** The text names the field, says what to write, and holds nothing unfilled; what its patch corrects is not told again. */
function expectToHelp(object: WorkloadObject, denial: Denial): void {
  const { field, message, remedy, code, patch = [] } = denial;
  if (code.startsWith("ADM_")) expect(message).toContain(field);
  expect(remedy.length).toBeGreaterThan(5);
  expect(textOf(denial)).not.toMatch(/undefined|\[object|NaN|(?<!\$)\{\w+\}(?!\})|must (be|NOT|match)/);
  if (patch.length === 0) return;
  const corrected = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch as Operation[])
    .newDocument as WorkloadObject;
  const still = checkAlone({ ...context(policy), kind: object.kind as Kind, object: corrected, operation: "CREATE" });
  const fields = still.denials.filter((other) => other.code.startsWith("ADM_")).map((other) => other.field);
  expect(fields).not.toContain(field);
}

function record(): void {
  const document = parseDocument(readFileSync(WRONG_OBJECTS, "utf8"));
  for (const [index, item] of (document.contents as YAMLSeq).items.entries()) {
    const one = cases[index];
    if (isMap(item) && one !== undefined) item.set("says", (one.says = decided(objectOf(one)).denials.map(textOf)));
  }
  writeFileSync(WRONG_OBJECTS, document.toString({ lineWidth: 0 }));
}
if (process.env["LANDFALL_RECORD"] === "texts") record();

describe("objects that people write by mistake", () => {
  it("are at least 60, each a different mistake", () => {
    expect(new Set(cases.map(({ write }) => write)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  it.each(cases)("$is: $write", (one) => {
    const object = objectOf(one);
    const { denials } = decided(object);
    expect(denials.length).toBeGreaterThan(0);
    expect(denials.map(textOf)).toEqual(one.says);
    for (const denial of denials) expectToHelp(object, denial);
  });

  // The API server removes names without values before it asks a webhook; explain and the tests of policies see them.
  it("name a space that is missing in a map of names", () => {
    const { denials } = decided(objectOf({ is: "a tag", write: "{tags: {team:web}}" }));
    expect(denials.map(textOf)).toEqual([
      'ADM_SCHEMA spec.tags has the key "team:web", which has the character ":"; write a space after the colon: team: web',
    ]);
  });

  it("hold a secret that no text shows", () => {
    const key = "-----BEGIN OPENSSH PRIVATE KEY-----b3BlbnNzaC1rZXktdjEA";
    for (const spec of [
      { sshPublicKey: key },
      { sshKey: key },
      { password: "b3BlbnNzaC1rZXktdjEA" },
      { tags: [key] },
    ]) {
      const outcome = admit(create(vm({ cpu: 2, memory: 4, ...spec })), context(policy));
      expect(outcome.allowed).toBe(false);
      expect(JSON.stringify(outcome)).not.toContain("b3BlbnNzaC1rZXktdjEA");
    }
  });
});
