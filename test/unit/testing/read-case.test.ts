import { describe, expect, it } from "vitest";
import { askCase } from "../../../src/testing/ask-case.ts";
import { readCase } from "../../../src/testing/read-case.ts";
import { API_VERSION } from "../../../src/model/names.ts";
import { compareCase } from "../../../src/testing/compare-case.ts";
import type { Asked } from "../../../src/testing/ask-case.ts";
import { loadPolicy } from "../../support/load-policy.ts";

/** A few lines that come to a hundred thousand nodes. */
const BOMB = [
  "a: &a [x,x,x,x,x,x,x,x]",
  ..."bcdef".split("").map((name, at) => {
    const before = String.fromCharCode("a".charCodeAt(0) + at);
    return `${name}: &${name} [${Array.from({ length: 8 }, () => `*${before}`).join()}]`;
  }),
].join("\n");

describe("a case of landfall test", () => {
  const object =
    "object: {apiVersion: composition.krateo.io/v0-1-0, kind: VmTemplate, metadata: {name: a}, spec: {cpu: 1, memory: 1}}\n";

  it.each([
    ["no YAML", "object: [", "line 1, column 10"],
    ["aliases of aliases", BOMB, "repeat too much; write the values themselves"],
    ["a case that expects nothing", `${object}expect: {}\n`, "expect {} is empty"],
    [
      "a word that is no expectation",
      `${object}expect: {allow: true}\n`,
      "expect.allow true is not a field; write allowed: true",
    ],
    [
      "a code by another name, and without a list",
      `${object}expect: {code: POL_QUOTA}\n`,
      'expect.code "POL_QUOTA" is not a field; write codes: [POL_QUOTA]',
    ],
    [
      "the opposite of an expectation",
      `${object}expect: {denied: true}\n`,
      "expect.denied true is not a field; write allowed: false",
    ],
    [
      "the opposite of an expectation, denied",
      `${object}expect: {deny: false}\n`,
      "expect.deny false is not a field; write allowed: true",
    ],
    [
      "an object without its version and metadata",
      "object: {kind: VmTemplate, spec: {cpu: 1, memory: 1}}\nexpect: {allowed: true}\n",
      `object.apiVersion is missing; write the group and version of the object, e.g. apiVersion: ${API_VERSION}; object.metadata is missing; write a map with the object's name, e.g. metadata: {name: web, namespace: demo}`,
    ],
    [
      "a part of the placement",
      `${object}expect: {provider: aws}\n`,
      "is not a field; write it below placement, e.g. placement: {provider: aws}",
    ],
    [
      "a namespace by its name",
      `namespace: demo\n${object}expect: {allowed: true}\n`,
      'namespace "demo" is not a map; write the namespace\'s name as metadata.namespace of the object; here stand its labels or annotations, e.g. namespace: {annotations: {landfall.dev/residency: EU}}',
    ],
    [
      "a setting of the namespace that is misspelt",
      `namespace: {annotations: {landfall.dev/residence: EU}}\n${object}expect: {allowed: true}\n`,
      "namespace.annotations.landfall.dev/residence is not a setting of a namespace, so it has no effect; write landfall.dev/residency",
    ],
    [
      "a label that no namespace has",
      `namespace: {labels: {landfall.dev/residency: "EU,CH"}}\n${object}expect: {allowed: true}\n`,
      'namespace.labels.landfall.dev/residency "EU,CH" is not the value of a label; write "EU_CH"',
    ],
    [
      "a day in place of a time",
      `now: 2026-01-05\n${object}expect: {allowed: true}\n`,
      'now "2026-01-05" has no time and no zone; write a time with its zone (RFC 3339), e.g. now: 2026-01-05T18:00:00Z',
    ],
    [
      "a word for expect",
      `${object}expects: {allowed: true}\n`,
      "case.yaml: expects {allowed: true} is not a field; write expect: {allowed: true}",
    ],
    [
      "a word that no expectation has",
      `${object}expect: {colour: red}\n`,
      'expect.colour "red" is not a field; remove it; the fields here are allowed,',
    ],
    [
      "a map without a space after its colon",
      `${object}expect: {allowed:true}\n`,
      "has no space after a colon; write allowed: true",
    ],
    [
      "a time that is none",
      `now: 2026-99-99T00:00:00Z\n${object}expect: {allowed: true}\n`,
      "is not a time; write one with its zone (RFC 3339)",
    ],
    [
      "a day that is a word",
      `now: tomorrow\n${object}expect: {allowed: true}\n`,
      "is a time relative to now; write the time itself, as printed by date",
    ],
    [
      "another kind",
      "object: {apiVersion: v1, kind: Pod, metadata: {}}\nexpect: {allowed: true}\n",
      "write one of VmTemplate, KaasCluster",
    ],
    [
      "an update of what never was",
      `${object}before:\n  object: {apiVersion: composition.krateo.io/v0-1-0, kind: VmTemplate, metadata: {name: a}, spec: {cpu: -1, memory: 1}}\nexpect: {allowed: true}\n`,
      "before.object is denied itself",
    ],
  ])("that is %s is refused, by what is wrong", async (_what, text, says) => {
    const policy = await loadPolicy();
    const ask = (): unknown => askCase(readCase(text, "case.yaml", "case"), policy);
    expect(ask).toThrow(expect.objectContaining({ code: "CLI_CASE" }));
    expect(ask).toThrow(says);
  });
});

describe("a code that Landfall does not have", () => {
  const denied = { allowed: false, codes: ["POL_QUOTA"], message: "", decision: null };
  const asked = { outcome: denied, stored: {} } as unknown as Asked;

  it.each([
    ["POL_QOUTA", "POL_QOUTA is not a code of Landfall; write POL_QUOTA"],
    ["TEAM_OFFICE_HOURS", "TEAM_OFFICE_HOURS is not a code of Landfall; docs/reference/errors.md lists them"],
  ])("is told where a case expects it: %s", (code, hint) => {
    const [mismatch] = compareCase({ codes: [code] }, asked, []);
    expect(mismatch).toEqual({ what: "codes", expected: [code], actual: ["POL_QUOTA"], hint });
  });

  it("is not told of a code that is another one's", () => {
    const [mismatch] = compareCase({ codes: ["POL_NAMING"] }, asked, []);
    expect(mismatch).not.toHaveProperty("hint");
  });
});
