import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDocuments } from "../../../src/cli/objects/read-documents.ts";
import { KUBERNETES_YAML } from "../../../src/model/formats/kubernetes-yaml.ts";
import { lineOf } from "../../../src/errors.ts";

const warnings: unknown[] = [];
const keep = (warning: unknown): void => void warnings.push(warning);
beforeEach(() => void process.on("warning", keep));
afterEach(() => void process.off("warning", keep));

const HEAD = "kind: VmTemplate\nspec:\n";

function told(source: string): string {
  try {
    parseDocuments("a.yaml", source, KUBERNETES_YAML);
  } catch (thrown) {
    return lineOf(thrown);
  }
  return "taken";
}

/** The spec's lines, and what is said of them. */
const FAULTS: [string, string][] = [
  ["  cpu:2\n  memory: 4", 'line 3, column 3: "cpu:2" has no space after a colon; write one, as in cpu: 2'],
  [
    "  cpu: 2, memory: 4",
    'line 3, column 8: "cpu: 2, memory: 4" has several fields; write each on a line of its own, without ","',
  ],
  [
    "  os: 'debian-12'; cpu: 2",
    `line 3, column 7: "os: 'debian-12'; cpu: 2" has several fields; write each on a line of its own, without ";"`,
  ],
  [
    "  cpu: 2 memory: 4",
    'line 3, column 8: "cpu: 2 memory: 4" has two fields or a text with a colon; write each on a line of its own, or put the text in quotes',
  ],
  [
    "  tags: &d {a: b}\n---\nspec:\n  tags:\n    <<: *d",
    'line 7, column 9: "<<: *d" has *d, and &d stands in another document; write the values themselves',
  ],
  [
    "  tags: *d\n  x: &d {a: b}",
    'line 3, column 9: "tags: *d" has *d, and &d stands after it; write the values themselves',
  ],
  [
    "  tags: {a: *.example.org}",
    'line 3, column 13: "tags: {a: *.example.org}" has *.example.org, and no &.example.org before it; put a text with * in quotes',
  ],
  [
    "  tags: {a: *}",
    'line 3, column 13: "tags: {a: *}" has a * without the name of an anchor; put a text with * in quotes',
  ],
  [
    "  network: {publicIP:true}",
    'line 3, column 13: "network: {publicIP:true}" has no space after a colon; write publicIP: true',
  ],
  ["  ports: [{port:22}]", 'line 3, column 12: "ports: [{port:22}]" has no space after a colon; write port: 22'],
  [
    "  tags: {team:web owner:me}",
    'line 3, column 10: "tags: {team:web owner:me}" has no space after a colon; write one after each colon, and a comma between fields',
  ],
  ["  // two\n  cpu: 2", 'line 3, column 3: "// two" is a comment of another language; begin it with # instead'],
  [
    "  \u00a0cpu: 2",
    'line 3, column 3: "cpu: 2" has a space of another kind, as editors of texts write; write an ordinary space',
  ],
  [
    "  \u201ccpu\u201d: 2",
    `line 3, column 3: "\u201ccpu\u201d: 2" has quotes that YAML does not know; write " or ', or no quotes`,
  ],
  ["\tcpu: 2", 'line 3, column 1: "cpu: 2" is indented with a tab; write spaces instead'],
  [
    "  cpu: 2\n   memory: 4",
    'line 3, column 8: "cpu: 2" has a value, and the next line is indented below it; indent both lines alike',
  ],
  ["  origin: a: b", 'line 3, column 11: "origin: a: b" has two colons; put a value that has a colon in quotes'],
  [
    "  tags: {a: b: c}",
    'line 3, column 13: "tags: {a: b: c}" has a list or a second colon within brackets; put a text that has a colon in quotes',
  ],
  [
    "  tags: {n: a}",
    'line 3, column 10: "tags: {n: a}" has the name n, which YAML reads as false; put it in quotes: "n"',
  ],
  ["  on: a", 'line 3, column 3: "on: a" has the name on, which YAML reads as true; put it in quotes: "on"'],
  [
    "  tags: {0042: a}",
    'line 3, column 10: "tags: {0042: a}" has the name 0042, which YAML reads as 34; put it in quotes: "0042"',
  ],
  [
    "  tags: {y: a, yes: b}",
    'line 3, column 10: "tags: {y: a, yes: b}" has the name y, which YAML reads as true; put it in quotes: "y"',
  ],
  ["  cpu: 2\n  cpu: 3", 'line 4, column 3: "cpu: 3" has a field that its map has already; write the field once'],
  [
    "  os: 'ubuntu",
    `line 3, column 14: "os: 'ubuntu" lacks a quote, a bracket, a comma or a colon; close each quote and bracket that is open here`,
  ],
  [
    "  ports: [22",
    'line 3, column 13: "ports: [22" is not indented as what it belongs to, or ends a bracket that is open; indent it like its neighbours, and close each [ and {',
  ],
  [
    "  vmName: @x",
    'line 3, column 11: "vmName: @x" has a value that begins with a character that YAML reserves; put the value in quotes',
  ],
  [
    "  cpu: *x",
    'line 3, column 8: "cpu: *x" has *x, and no &x before it; write the values themselves, or put a text with * in quotes',
  ],
  ["  tags: &a\n    b: *a", 'line 4, column 8: "b: *a" has *a inside of what it stands for; write the value itself'],
  [
    "  cpu: {{ .Values.cpu }}",
    'line 3, column 9: "cpu: {{ .Values.cpu }}" has {{ }} of a template, which is not filled in; render it first, e.g. with helm template',
  ],
  [
    "  {{- if .x }}\n  cpu: 2",
    'line 3, column 5: "{{- if .x }}" has {{ }} of a template, which is not filled in; render it first, e.g. with helm template',
  ],
  [
    "  [a]: 2",
    'line 3, column 3: "[a]: 2" has a list or map as the name of a field; put a text with brackets in quotes',
  ],
  [
    "<<<<<<< HEAD\n  cpu: 2",
    'line 3, column 1: "<<<<<<< HEAD" is a conflict mark of git; resolve the conflict, and remove the marks',
  ],
  [
    "  password: 'hunter2",
    "line 3, column 21: lacks a quote, a bracket, a comma or a colon; close each quote and bracket that is open here",
  ],
];

describe("a file that is not YAML", () => {
  it.each(FAULTS)("%j says where and what to write", (spec, text) => {
    expect(told(`${HEAD}${spec}\n`)).toBe(`a.yaml, ${text} [CLI_YAML]`);
    expect(warnings).toEqual([]);
  });

  it("is nested too deeply, or repeats too much", () => {
    expect(told("[".repeat(100_000))).toContain("is nested too deeply");
    const bomb = Array.from(
      { length: 20 },
      (_, index) => `l${String(index)}: &l${String(index)} [${`*l${String(index - 1)},`.repeat(9)}]`,
    );
    expect(told(["l0: &l0 [a]", ...bomb.slice(1)].join("\n"))).toContain(
      "its aliases (*) repeat more than a manifest may hold",
    );
  });

  it("is taken with anchors that are used after them", () => {
    expect(parseDocuments("a.yaml", "a: &a {b: 1}\nc: *a\nd: {<<: *a}\n")).toEqual([
      { a: { b: 1 }, c: { b: 1 }, d: { "<<": { b: 1 } } },
    ]);
  });
});

it.each([
  ['{"kind": "VmTemplate", // a machine\n "spec": {"cpu": 2}}', "line 1, column 24"],
  ['{\n  // a machine\n  "kind": "VmTemplate"}', "line 2, column 3"],
  ['// a machine\n{"kind": "VmTemplate"}', "line 1, column 1"],
  ['[{"kind": "VmTemplate", /* a */ "spec": {}}]', "line 1, column 25"],
  ['{"kind": "VmTemplate",\n "spec": {"cpu": 2 /* two */}}', "line 2, column 20"],
])("says that JSON has no comments: %s", (source, place) => {
  const line = told(source);
  expect(line).toContain(`${place}: `);
  expect(line).toContain("has a comment, which JSON does not have; remove it, or write");
});

it.each([
  '{"kind": "VmTemplate", "pattern": "a\\\\", "of": "/*"}',
  '{"kind": "a", "url": "https://example.org//a", "glob": "/*"}',
  '{"kind": "a \\" // b", "url": https://example.org}',
  "{kind: a, path: //server}",
])("takes slashes that are no comment: %s", (source) => {
  expect(told(source)).toBe("taken");
});

it("says that a second object of JSON lines needs ---", () => {
  expect(told('{"kind": "a"}\n{"kind": "b"}')).toContain(
    "begins a second object in one document; write --- on a line before it",
  );
});

it("reads a dot alone as a text, as kubectl does", () => {
  expect(parseDocuments("a.yaml", "{a: ., b: .5, c: .nan, d: 1.}\n", KUBERNETES_YAML)).toEqual([
    { a: ".", b: 0.5, c: Number.NaN, d: 1 },
  ]);
});
