import type { SourceText } from "./problem.ts";

const QUOTED = /"((?:[^"\\\n]|\\.)*)"/g;

/** What a line of each kind of file holds for people. */
const HOLDS: readonly { files: RegExp; texts: (line: string) => string[] }[] = [
  {
    files: /\.rego$/,
    texts: (line) => {
      const metadata = /^# (?:title|description): (.*)$/.exec(line)?.[1];
      if (metadata !== undefined) return [metadata];
      return line.trimStart().startsWith("#") ? [] : quoted(line);
    },
  },
  {
    files: /\/(?:crds|definitions)\/.*\.yaml$/,
    texts: (line) => {
      const text = /\bdescription: ?("(?:[^"\\]|\\.)*"|[^"{>|][^,}]*)/.exec(line)?.[1];
      return text === undefined ? [] : [text.replaceAll('"', "")];
    },
  },
  { files: /\.(?:yaml|tpl)$/, texts: (line) => (/\bfail\b/.test(line) ? quoted(line) : []) },
];

const quoted = (line: string): string[] =>
  [...line.matchAll(QUOTED)].map(({ 1: text = "" }) => text).filter((text) => /\p{L}\S* \S*\p{L}/u.test(text));

/** Messages and METADATA of a Rego file, descriptions of a CRD, messages of `fail` in a chart's template. */
export function patternTexts(file: string, source: string): SourceText[] {
  const holds = HOLDS.find(({ files }) => files.test(file));
  if (holds === undefined) return [];
  return source.split("\n").flatMap((line, index) => holds.texts(line).map((text) => ({ line: index + 1, text })));
}

/** Titles and descriptions of a JSON Schema, one a line. */
export function jsonTexts(source: string): SourceText[] {
  return source.split("\n").flatMap((line, index) => {
    const text = /^\s*"(?:title|description|\$comment)": ("(?:[^"\\]|\\.)*"),?$/.exec(line)?.[1];
    return text === undefined ? [] : [{ line: index + 1, text: JSON.parse(text) as string }];
  });
}

/** Where a comment of TypeScript begins in a line, or goes on; an address has no blank before its slashes. */
const COMMENT = /(?:^\s*(?:\/\*\*?|\*(?!\/)|\/\/)|\s(?:\/\/|\/\*\*)\s)(.*)$/;

/** Whether a comment that has lines of its own begins in this one: after a bare opening, at an opening, or after code. */
const beginsAt = (line: string, before: string): boolean =>
  /^\s*\/\*\*\s*$/.test(before) || /^\s*\/\*/.test(line) || (/^\s*\/\//.test(line) && !/^\s*\/\//.test(before));

/** The first lines of the comments of a TypeScript file that have lines of their own. */
export const commentOpenings = (lines: readonly string[]): SourceText[] =>
  commentTexts(lines)
    .filter(({ line }) => beginsAt(lines[line - 1] ?? "", lines[line - 2] ?? ""))
    .map(({ line, text }) => ({ line, text: text.trimStart() }));

/** The comments of a TypeScript file, one text a line. */
export const commentTexts = (lines: readonly string[]): SourceText[] =>
  lines.flatMap((line, index) => {
    const text = COMMENT.exec(line)?.[1];
    return text === undefined ? [] : [{ line: index + 1, text }];
  });
