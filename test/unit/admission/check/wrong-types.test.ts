import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SCHEMAS } from "../../../../src/admission/check/schema-denials.ts";
import { checkAlone } from "../../../../src/admission/decide/decide.ts";
import type { Denial } from "../../../../src/model/decision.ts";
import { isObject, keysOf } from "../../../../src/model/json.ts";
import { KUBERNETES_YAML } from "../../../../src/model/formats/kubernetes-yaml.ts";
import type { Kind } from "../../../../src/model/names.ts";
import { dotted, type SchemaNode, typeOf } from "../../../../src/model/wrong-value/schema-node.ts";
import { flow } from "../../../../src/model/wrong-value/explain-value.ts";
import { context, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();

/** What people and templates write where another type is wanted. */
const WRONG: readonly unknown[] = ["", " ", "x", "NO", true, false, 0, 1, -1, 1.5, [], {}, [""], { x: 1 }, null];

/** Field after field of a schema, with the list or map that holds it filled from the schema's examples. */
function* fieldsOf(node: SchemaNode, pointer = ""): Generator<{ pointer: string; node: SchemaNode }> {
  if (pointer !== "") yield { pointer, node };
  for (const [name, child] of Object.entries(node.properties ?? {}))
    if (name !== "global") yield* fieldsOf(child, `${pointer}/${name}`);
  if (node.items !== undefined) yield* fieldsOf(node.items, `${pointer}/0`);
  if (typeof node.additionalProperties === "object") yield* fieldsOf(node.additionalProperties, `${pointer}/a`);
}

const BASE: Readonly<Record<Kind, Record<string, unknown>>> = {
  VmTemplate: { cpu: 2, memory: 4 },
  KaasCluster: { nodePools: [{ name: "main", cpu: 4, memory: 16 }] },
};

/** The holder with a value at a place below it; what is missing on the way comes from the examples. */
function withValue(holder: unknown, node: SchemaNode, [key = "", ...rest]: readonly string[], value: unknown): unknown {
  const child = node.properties?.[key] ?? node.items ?? (node.additionalProperties as SchemaNode);
  const at = (inner: unknown): unknown =>
    rest.length === 0 ? value : withValue(inner ?? child.examples?.[0], child, rest, value);
  if (Array.isArray(holder)) return [at(holder[0]), ...(holder as unknown[]).slice(1)];
  const fields = isObject(holder) ? holder : {};
  return { ...fields, [key]: at(fields[key]) };
}

/** The codes of what is wrong with a value by itself. */
const OF_ONE_VALUE = new Set(["ADM_SCHEMA", "ADM_DURATION", "ADM_TIME"]);

function denialsOf(kind: Kind, spec: unknown): Denial[] {
  const object = { ...vm(spec as Record<string, unknown>), kind };
  return checkAlone({ ...context(policy), kind, object, operation: "CREATE" }).denials.filter(({ code }) =>
    OF_ONE_VALUE.has(code),
  );
}

/** The value that a remedy tells to write, as YAML would read it; undefined if it tells none. */
function toldValue(remedy: string, name: string): unknown {
  const isItem = /^\d+$/.test(name);
  const written = remedy.replace(
    /, or remove the line$|; landfall places lists them$| and \w+: .*are examples$|, or port: \d+ and toPort: \d+ for all of them$|, and another entry for udp$/,
    "",
  );
  const example = written.split(/e\.g\. |, as /)[1];
  const at = written.indexOf(`${name}: `);
  const text = example ?? (isItem ? written.replace(/^write /, "") : at < 0 ? null : written.slice(at));
  if (text === null || WITHOUT_VALUE.test(remedy) || IN_WORDS.test(remedy)) return undefined;
  const value = parse(text, KUBERNETES_YAML) as unknown;
  if (isItem) return value;
  return isObject(value) ? value[name] : undefined;
}

/** Advice without a value: how a number is to change, which units there are, and what to leave out. */
const WITHOUT_VALUE =
  /^write \S+ or (?:more|less)$|^write \S+h for hours or \S+m for minutes$|^write \S+d for days or \S+h for hours$|^write \S+s for seconds or \S+m for minutes$|^write a port number from \d+ to \d+, or |^remove it|^write it as provider\/region|^put the (?:version|value) in quotes|^write one text|^write highAvailability: true$|^omit max(?:Wait|Price) |^write dataResidency: \[[A-Z]+\] in place|^write ports in its place, with an entry for each/;

/** Words and forms for values that are the user's, of which no example is given. */
const IN_WORDS =
  /^write (?:one of [\w., -]+|USD per hour above zero, in quotes|the provider's name of a region: lower-case letters, digits and -|EU, EEA, GDPR or the code of a country in capital letters|a map with cidr, publicIP or existing|a port number)(?:, or remove the line)?$/;

/** The denials of a value by itself, in an object that is valid otherwise. */
const deniedOf = (kind: Kind, pointer: string, value: unknown): Denial[] =>
  denialsOf(kind, withValue(BASE[kind], SCHEMAS[kind], keysOf(pointer), value));

/** What is told to be written is valid, and no word in quotes where a word means nothing. */
function expectRemedy(kind: Kind, pointer: string, node: SchemaNode, { field, remedy }: Denial): void {
  const told = toldValue(remedy, keysOf(pointer).at(-1) ?? "");
  if (told === undefined) {
    if (!IN_WORDS.test(remedy)) expect(remedy).toMatch(WITHOUT_VALUE);
    return;
  }
  if (/…|<\w+>/.test(JSON.stringify(told))) return;
  expect(
    deniedOf(kind, pointer, told).filter((one) => one.field === field),
    remedy,
  ).toEqual([]);
  if (typeOf(node) === "string" && node["x-free"] !== true) expect(["true", "false", "-1"]).not.toContain(told);
}

function expectAdvice(kind: Kind, pointer: string, node: SchemaNode, value: unknown): void {
  const field = `spec${dotted(pointer)}`;
  const denials = deniedOf(kind, pointer, value);
  const denial = denials.find((one) => one.field === field);
  // Valid, or an entry of it is told.
  if (denial === undefined) {
    expect(denials.map((one) => one.field?.slice(0, field.length) ?? "")).toEqual(denials.map(() => field));
    return;
  }
  const { message, remedy, patch = [] } = denial;
  expect(message).toContain(field);
  if (value !== null && pointer !== "/userData") expect(message).toContain(flow(value));
  expect(message + remedy).not.toMatch(/undefined|\[object|NaN|\{(?:detail|correction|actual|field)\}/);
  expectRemedy(kind, pointer, node, denial);
  const spec = withValue(BASE[kind], SCHEMAS[kind], keysOf(pointer), value);
  const { newDocument } = jsonPatch.applyPatch({ spec: structuredClone(spec) }, patch as Operation[]);
  if (patch.length > 0) expect(denialsOf(kind, newDocument.spec).map((one) => one.field)).not.toContain(field);
}

describe.each(["VmTemplate", "KaasCluster"] as const)("every field of %s", (kind) => {
  it.each([...fieldsOf(SCHEMAS[kind])])("$pointer: a value of another type gets a message that helps", (field) => {
    for (const value of WRONG) expectAdvice(kind, field.pointer, field.node, value);
  });
});
