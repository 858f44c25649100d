import type { Finding } from "./finding.ts";

/** An entry of terms.yaml. */
export interface Term {
  readonly say: string;
  readonly not: readonly string[];
  /** Only comments of source code are checked for these words: other texts have a rule of their own for them. */
  readonly comments?: "only";
}

interface Pattern {
  readonly say: string;
  readonly pattern: RegExp;
}

const startsWithWord = (source: string): string => (/^[\w(]/.test(source) && !source.startsWith("(?<") ? "\\b" : "");
const endsWithWord = (source: string): string => (/\w$/.test(source) && !/\\[bB]$/.test(source) ? "\\b" : "");

/** The regular expressions of `terms`, each over whole words and across line breaks. */
export function compileTerms(terms: readonly Term[]): Pattern[] {
  return terms.flatMap(({ say, not }) =>
    not.map((source) => {
      const spaced = source.replaceAll(" ", "\\s+");
      return { say, pattern: new RegExp(startsWithWord(source) + spaced + endsWithWord(source), "gi") };
    }),
  );
}

// Code is masked by X's of its length.
const DOUBLED = /(?<![\w`.-])(?!x+\s)([a-z]{2,})\s+\1(?![\w`-])/gi;

/** Words of `text` that the list of terms replaces, and words written twice. */
export function checkWords(text: string, patterns: readonly Pattern[]): Finding[] {
  const terms = patterns.flatMap(({ say, pattern }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }): Finding => {
      const quoted = found.replace(/\s+/g, " ").trim();
      return { rule: "term", index, length: found.length, message: `"${quoted}": write ${say}` };
    }),
  );
  const doubled = [...text.matchAll(DOUBLED)].map(({ 0: found, index }): Finding => {
    return {
      rule: "doubled-word",
      index,
      length: found.length,
      message: `"${found.replace(/\s+/g, " ")}": once is enough`,
    };
  });
  return [...terms, ...doubled].sort((one, other) => one.index - other.index);
}
