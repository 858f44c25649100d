import type { YAMLParseError } from "yaml";
import { table } from "../table.ts";
import { given } from "../wrong-value/explain-value.ts";

/** The names of fields whose values no message shows. */
const SECRET = /(?:pass|secret|token|credential|userData|PRIVATE KEY)/i;

/** A line of a manifest for a message, in quotes; empty if there is none, or if it may hold a secret. */
export const shownLine = (line: string): string => (SECRET.test(line) ? "" : given("", line.trim()).trimStart());

/** The problem of the text of a YAML file, and its correction. */
export interface YamlFault {
  /** Both from 1. */
  line: number;
  column: number;
  detail: string;
  correction: string;
}

type Words = readonly [detail: string, correction: string];

/** Forms of lines that break YAML, each with its usual meaning: the first that matches. */
const BY_LINE: readonly (readonly [RegExp, Words])[] = [
  [/\{\{/, ["has {{ }} of a template, which is not filled in", "render it first, e.g. with helm template"]],
  [/\$\{/, ["has ${ } of a variable, which is not filled in", "fill it in first, e.g. with envsubst"]],
  [/^(?:<<<<<<<|=======|>>>>>>>)/, ["is a conflict mark of git", "resolve the conflict, and remove the marks"]],
  [/^[ ]*\t/, ["is indented with a tab", "write spaces instead"]],
  [/^\s*\/[/*]/, ["is a comment of another language", "begin it with # instead"]],
  [/\s\/\/(?:\s|$)/, ["has //, which begins no comment in YAML", "write # instead"]],
  [/^\s*(?:- )?[\w.-]{1,100} ?= ?\S/, ["has = in place of a colon", "write it as name: value"]],
  [/^\s*(?:- )?[\w.-]+:[^\s/]/, ["has no space after a colon", "write one, as in cpu: 2"]],
];

/** By the codes of the parser, where the line itself does not tell. */
const BY_CODE: Readonly<Record<string, Words>> = table({
  ALIAS_PROPS: ["has an alias (*) with an anchor or a tag", "write only the alias"],
  BAD_ALIAS: ["has a * without the name of an anchor", "put a text with * in quotes"],
  BAD_COLLECTION_TYPE: ["begins a list or map of another type than its tag says", "remove the tag (!!)"],
  BAD_DIRECTIVE: ["has a % directive that is not valid", "remove it"],
  BAD_DQ_ESCAPE: ["has a \\ in double quotes that escapes nothing", "write it twice, or use single quotes"],
  BAD_INDENT: [
    "is not indented as what it belongs to, or ends a bracket that is open",
    "indent it like its neighbours, and close each [ and {",
  ],
  BAD_SCALAR_START: ["has a value that begins with a character that YAML reserves", "put the value in quotes"],
  BLOCK_IN_FLOW: ["has a list or a second colon within brackets", "put a text that has a colon in quotes"],
  DUPLICATE_KEY: ["has a field that its map has already", "write the field once"],
  IMPOSSIBLE: ["is not YAML", "correct it"],
  MISSING_CHAR: ["lacks a quote, a bracket, a comma or a colon", "close each quote and bracket that is open here"],
  MULTILINE_IMPLICIT_KEY: ["is a text where a field with a colon is wanted", "write it as field: value"],
  RESOURCE_EXHAUSTION: ["is nested too deeply", "remove brackets or levels"],
  TAB_AS_INDENT: ["is indented with a tab", "write spaces instead"],
  UNEXPECTED_TOKEN: ["has something that does not belong here", "look for a comma, a bracket or a quote too many"],
});

/** A field with one value, and a name: `cpu: 2, memory:`, `os: 'debian-12'; memory:`, `cpu: 2 memory:`. */
const SEVERAL =
  /^\s*(?:- )?[\w.-]{1,100}: (?:"[^"]{0,500}"|'[^']{0,500}'|[^\s"'[{][^"'[{]{0,500}?)([,;]?) +[\w.-]{1,100}:(?: |$)/;

const ON_LINES = "write each on a line of its own";

/** A map instead of one value: two colons in a line, or a next line that is indented more. */
function nested(line: string): Words {
  const [whole, sign = ""] = SEVERAL.exec(line) ?? [];
  if (whole !== undefined)
    return sign === ""
      ? ["has two fields or a text with a colon", `${ON_LINES}, or put the text in quotes`]
      : ["has several fields", `${ON_LINES}, without "${sign}"`];
  return `${line} `.split(": ").length > 2
    ? ["has two colons", "put a value that has a colon in quotes"]
    : ["has a value, and the next line is indented below it", "indent both lines alike"];
}

const OTHER: Words = ["is not valid YAML", "correct it"];

function wordsFor(code: string, line: string): Words {
  const [, byLine] = BY_LINE.find(([pattern]) => pattern.test(line)) ?? [];
  if (byLine === undefined && code === "UNEXPECTED_TOKEN" && /^\s*\{/.test(line))
    return ["begins a second object in one document", "write --- on a line before it"];
  return byLine ?? (code === "BLOCK_AS_IMPLICIT_KEY" ? nested(line) : (BY_CODE[code] ?? OTHER));
}

/** The message about a fault of this code at a place of a text. */
export function faultAt(source: string, offset: number, code: string): YamlFault {
  const before = source.slice(0, offset).split("\n");
  const line = before.length;
  const text = source.split("\n")[line - 1] ?? "";
  const [detail, correction] = wordsFor(code, text);
  return { line, column: (before.at(-1)?.length ?? 0) + 1, detail: `${shownLine(text)} ${detail}`.trim(), correction };
}

/** The fault that an error of the parser reports. */
export function yamlFault(source: string, { code, pos: [offset] }: YAMLParseError): YamlFault {
  // The parser notices at the end what is not closed, so the last line with content is shown.
  return faultAt(source, Math.min(offset, source.trimEnd().length), code);
}
