import { stripVTControlCharacters as stripAnsi } from "node:util";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import MarkdownIt from "markdown-it";
import colors from "picocolors";
import fc from "fast-check";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import {
  escapeMarkdown,
  impactMarkdown,
  impactTable,
  type Report,
} from "../../../src/cli/commands/impact/format-impact.ts";
import { neutralise } from "../../../src/model/text/neutralise.ts";
import { openTerminal } from "../../../src/flags/terminal.ts";
import { outputError } from "../../../src/flags/option-values.ts";
import { jsonText, yamlText } from "../../../src/cli/output/value-text.ts";
import { KUBERNETES_YAML } from "../../../src/model/formats/kubernetes-yaml.ts";
import { anyText } from "../../support/mutate.ts";

const ESC = "\u001b";
/** Clears the screen, sets the title, hides text, writes the clipboard, moves the cursor, reverses the direction. */
const HOSTILE = [
  `${ESC}[2J${ESC}[H`,
  `${ESC}]0;owned\u0007`,
  `${ESC}[8mhidden${ESC}[0m`,
  `${ESC}]52;c;cm0gLXJm\u0007`,
  "\u009b2J",
  "a\rb",
  "a\bb",
  "\u202egnp.exe",
  "\u2066a\u2069",
  "a\u200bb",
  "a\u2028b",
  "\u{e0041}",
];

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069]/u;

const SECRET = 123_456_789_012;

describe("24: text of others on the terminal", () => {
  it.each(HOSTILE)("writes %j as visible characters", (text) => {
    const { safe, colors: paint } = openTerminal(true, SECRET);
    const written = safe(`${paint.bold("name")} ${paint.red(text)} ${text}\n`);
    expect(stripAnsi(written)).not.toMatch(CONTROL);
    expect(written).toContain(neutralise(text));
    expect(written.startsWith(colors.createColors(true).bold("name"))).toBe(true);
  });

  it("keeps own colours, one inside of another too, and text of other languages", () => {
    const { safe, colors: paint } = openTerminal(true, SECRET);
    const real = colors.createColors(true);
    const [on, off] = [`${ESC}[31m`, `${ESC}[39m`];
    expect(safe(paint.red(`a ${paint.red("b")} c`))).toBe(`${on}a ${on}b${off}${on} c${off}`);
    expect(safe(paint.bold("Größe 水 🌍\tok\n"))).toBe(real.bold("Größe 水 🌍\tok\n"));
    expect(stripAnsi(paint.red("abc"))).toBe("abc");
  });

  it("takes colours of others, who do not know the secret, for text", () => {
    const { safe } = openTerminal(true, SECRET);
    expect(safe(`${ESC}[32mallowed${ESC}[39m`)).toBe("\\u001b[32mallowed\\u001b[39m");
    expect(safe(`${ESC}[1111;2222;3333;32mallowed`)).toBe("\\u001b[1111;2222;3333;32mallowed");
  });

  it("paints nothing where no terminal is", () => {
    const { safe, colors: paint } = openTerminal(false, SECRET);
    expect(safe(paint.red(`a${ESC}[31m`))).toBe("a\\u001b[31m");
  });

  it("writes no control character, whatever the text", () => {
    const { safe, colors: paint } = openTerminal(true, SECRET);
    const texts = fc.sample(anyText(20), 500);
    expect(texts.filter((text) => CONTROL.test(stripAnsi(safe(paint.dim(text)))))).toEqual([]);
  });

  it.each(HOSTILE)("prints the value %j as JSON and YAML that reads the same", (text) => {
    const value = { name: text, [text]: [text, { deep: `${text}\nb: c` }] };
    for (const printed of [jsonText(value), yamlText(value)]) expect(printed).not.toMatch(CONTROL);
    expect(JSON.parse(jsonText(value))).toEqual(value);
    expect(parse(yamlText(value), KUBERNETES_YAML)).toEqual(value);
  });
});

const report = (name: string, code: string): Report => {
  const side = {
    allowed: false,
    place: null,
    instanceType: null,
    start: null,
    price: null,
    carbon: null,
    codes: [code],
  };
  const impacts = [
    { object: { kind: "VmTemplate", namespace: "team", name }, change: "newly denied", before: side, after: side },
  ];
  const none = { before: 0, after: 0 };
  return { summary: { objects: 1, changes: {}, price: none, carbon: none }, impacts, passed: [] } as unknown as Report;
};

const MARKUP = [
  "<img src=https://evil.example/x>",
  "[click](https://evil.example)",
  "![x](https://evil.example/x.png)",
  "https://evil.example",
  "www.evil.example",
  "`x` **bold** _it_ ~~s~~",
  "a | b\n| c |\n\n# Title",
  "<!-- hidden",
  "&lt;script&gt;",
  "$x$",
];

describe("24: text of others in Markdown", () => {
  const markdown = new MarkdownIt({ html: true, linkify: true });

  it.each(MARKUP)("renders %j as text in the table of an impact", (text) => {
    const html = markdown.render(impactMarkdown(report(text, text)));
    expect(html).not.toMatch(/<(img|a|code|strong|em|s|script|h1)\b[^>]*>(?!1 object|Impact)/);
    expect(html.match(/<tr>/g)).toHaveLength(2);
    expect(html.match(/<td>/g)).toHaveLength(6);
  });

  it.each([
    "GH-12",
    "gh-12",
    "#12",
    "org/repo#12",
    "f53053b",
    "f53053b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6",
    "org/repo@f53053b0c1d2",
    "1234567",
  ])("leaves no text together in which GitHub sees the reference %s", (reference) => {
    const html = markdown.render(impactMarkdown(report(reference, reference)));
    const texts = html.split(/<[^>]*>/).map((text) => text.trim());
    const seen = texts.filter((text) => /gh-\d|#\d|\b[0-9a-f]{7,40}\b|@\w/i.test(text));
    expect(seen).toEqual([]);
    expect(html.replace(/<[^>]*>/g, "")).toContain(reference);
  });

  it("parts a mention, which GitHub looks for after it rendered", () => {
    expect(escapeMarkdown("@octocat")).toBe("@<!-- -->octocat");
  });

  it("leaves names and codes readable", () => {
    expect(escapeMarkdown("VmTemplate team-a/web.1 POL_LATENCY")).toBe("VmTemplate team-a/web.1 POL_LATENCY");
  });

  it("writes the same text to a terminal without effect", () => {
    const { safe, colors: paint } = openTerminal(true, SECRET);
    const written = safe(impactTable(report(`${ESC}[2J`, "\u202e"), false, paint));
    expect(stripAnsi(written)).not.toMatch(CONTROL);
  });
});

describe("24: every command", () => {
  /** What writes without a function that escapes, and why it may. */
  const ALLOWED = [
    // Sequences of its own, for the line that is written again.
    /rewrite: \(line\) => void stderr\.write\(line === "" /,
    // A table of names and versions that this repository sets.
    /process\.stdout\.write\(`\$\{table\.toString\(\)\}/,
  ];

  it("writes through the functions that escape", async () => {
    const files = globSync("{src,webhook}/**/*.ts");
    expect(files.length).toBeGreaterThan(300);
    const direct: string[] = [];
    for (const file of files) {
      for (const line of (await readFile(file, "utf8")).split("\n")) {
        const writes = /\b(?:stdout|stderr)\.write\(|\bconsole\.\w+\(/.test(line);
        if (writes && !/safe\(|neutralise\(/.test(line) && !ALLOWED.some((one) => one.test(line))) direct.push(line);
      }
    }
    expect(direct).toEqual([]);
  });

  it("escapes what a wrong command line repeats", () => {
    const printed: string[] = [];
    outputError(`error: unknown option '${ESC}[2J'`, (text) => printed.push(text));
    expect(printed.join("").trimEnd()).not.toMatch(CONTROL);
  });
});
