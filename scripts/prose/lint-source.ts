import type { Check, Rules } from "./open-rules.ts";
import { excuse, type Problem, type SourceText } from "./problem.ts";
import { commentOpenings, commentTexts, jsonTexts, patternTexts } from "./pattern-texts.ts";
import { typescriptTexts } from "./typescript-texts.ts";

/** Code spans, parameters of templates and addresses count as one word, of the same length. */
const maskCode = (text: string): string =>
  text.replace(/`[^`\n]+`|\{[\w.]+\}|%[sdvq]|https?:\/\/\S+/g, (whole) => "X".repeat(whole.length));

const TYPESCRIPT = /\.tsx?$/;

function textsOf(file: string, source: string): SourceText[] {
  if (TYPESCRIPT.test(file)) return typescriptTexts(file, source);
  if (file.endsWith(".json")) return jsonTexts(source);
  return patternTexts(file, source);
}

/**
 * What the rules find in the texts that a program's source holds for people: strings and comments of TypeScript, messages and
 * METADATA of Rego, failures of charts, descriptions of schemas and CRDs. A comment `prose-ok: REASON` on the line above excuses a text.
 */
export function lintSource(file: string, source: string, rules: Rules): Problem[] {
  const lines = source.split("\n");
  const find = (texts: readonly SourceText[], check: Check): Problem[] =>
    texts
      .filter(({ line }) => excuse(lines[line - 2] ?? "") === undefined)
      .flatMap(({ line, text }) => check(maskCode(text)).map(({ message }) => ({ file, line, message })));
  const texts = find(textsOf(file, source), rules.text);
  if (!TYPESCRIPT.test(file)) return texts;
  return [...texts, ...find(commentTexts(lines), rules.comment), ...find(commentOpenings(lines), rules.opening)];
}
