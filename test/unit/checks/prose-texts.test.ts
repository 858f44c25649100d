import { describe, expect, it } from "vitest";
import { lintMarkdown } from "../../../scripts/prose/lint-markdown.ts";
import { lintSource } from "../../../scripts/prose/lint-source.ts";
import { openRules } from "../../../scripts/prose/open-rules.ts";

const rules = openRules();
const places = async (text: string): Promise<string[]> =>
  (await lintMarkdown("a.md", text, rules)).map(({ line, message }) => `${line}: ${message}`);
const sourcePlaces = (file: string, text: string): string[] =>
  lintSource(file, text, rules).map(({ line, message }) => `${line}: ${message}`);
const ANEW = '"anew": write again';

describe("Markdown", () => {
  it("is checked in paragraphs, headings, lists and tables, with the line of each finding", async () => {
    const text = "# Anew\n\none line\nthen anew\n\n* item anew\n\n| a | b |\n|---|---|\n| x | anew |\n";
    expect(await places(text)).toEqual(['1: "Anew": write again', `4: ${ANEW}`, `6: ${ANEW}`, `10: ${ANEW}`]);
  });

  it("is not checked in code, addresses and HTML", async () => {
    const text = "run `build anew`, see [it](https://example.org/anew)\n\n```\nanew\n```\n\n<b title='anew'>x</b>\n";
    expect(await places(text)).toEqual([]);
  });

  it("exempts only the block after a comment with a reason", async () => {
    const text = "<!-- prose-ok: a quotation -->\n\nDecide anew.\n\nDecide anew.\n";
    expect(await places(text)).toEqual([`5: ${ANEW}`]);
    expect(await places("<!-- prose-ok: -->\n\nDecide anew.\n")).toEqual([`3: ${ANEW}`]);
  });
});

describe("the source of programs", () => {
  it("is checked in TypeScript's strings and templates, not in code and single words", () => {
    const text =
      'const anew = "anew";\n// decide again\nreport("decide anew");\nreport(`${name} is no ${kind} of ${list}`);\n';
    expect(sourcePlaces("a.ts", text)).toEqual([`3: ${ANEW}`, '4: "is no": write is not a …']);
  });

  it("is checked in comments for terms and doubled words", () => {
    const text =
      '/** Nobody decides\n * beside the the webhook. */\nrun(); // whoever decides anew\nget("https://whoever");\n';
    expect(sourcePlaces("a.ts", `${text}whoever();\nreport("whoever decides");\n`)).toEqual([
      '1: "Nobody": write no user / no one (or say who)',
      '2: "beside": write in addition to / besides / next to',
      '2: "the the": once is enough',
      '3: "whoever": write anyone who (or say who)',
      `3: ${ANEW}`,
    ]);
  });

  it("is checked for comments that begin with a clause in place of what they describe", () => {
    const begins = '…" begins a comment: begin with the thing itself ("The path of …", "The parts that …")';
    const text =
      "/** What helm needs. */\n/**\n * What helm needs,\n * where it runs.\n */\n// Of helm:\n// What it needs.\n";
    expect(sourcePlaces("a.ts", `${text}run(); // Where it is.\n  // Where charts lie.\n`)).toEqual([
      `1: "What helm needs. ${begins}`,
      `3: "What helm needs, ${begins}`,
      `9: "Where charts lie. ${begins}`,
    ]);
  });

  it("exempts the line after a comment with a reason", () => {
    expect(sourcePlaces("a.ts", '// prose-ok: the name of a song\nreport("decide anew");\n')).toEqual([]);
  });

  it("is checked in Rego's messages and METADATA", () => {
    const text = '# METADATA\n# title: Decides anew\n# a comment anew\nmessage := "decide anew"\n';
    expect(sourcePlaces("a.rego", text)).toEqual([`2: ${ANEW}`, `4: ${ANEW}`]);
  });

  it("is checked in the descriptions of CRDs", () => {
    const text = 'description: made anew\nid: { description: "made: anew", type: string }\n# anew\nname: anew\n';
    expect(sourcePlaces("charts/a/crds/a.yaml", text)).toEqual([`1: ${ANEW}`, `2: ${ANEW}`]);
  });

  it("is checked in the failures of charts", () => {
    const text = '{{- /* anew */}}\n{{- fail (printf "name %s anew" .name) }}\n';
    expect(sourcePlaces("charts/a/templates/validate.yaml", text)).toEqual([`2: ${ANEW}`]);
  });

  it("is checked in the descriptions of JSON Schemas", () => {
    const text = '{\n  "title": "anew",\n  "description": "Decide anew.",\n  "const": "anew"\n}\n';
    expect(sourcePlaces("a.json", text)).toEqual([`2: ${ANEW}`, `3: ${ANEW}`]);
  });
});
