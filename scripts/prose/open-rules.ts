import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { checkOpening, checkSentences } from "./check-sentences.ts";
import { checkWords, compileTerms, type Term } from "./check-words.ts";
import type { Finding } from "./finding.ts";

/** Takes a text without markup; gives what the rules find in it. */
export type Check = (text: string) => Finding[];

export interface Rules {
  /** For texts that people read. */
  text: Check;
  /** For comments: the terms, and words written twice. */
  comment: Check;
  /** For the first line of a comment. */
  opening: Check;
}

/** All rules of the project, with the list of terms next to this file. */
export function openRules(): Rules {
  const terms = parse(readFileSync(new URL("terms.yaml", import.meta.url), "utf8")) as Term[];
  const inTexts = compileTerms(terms.filter(({ comments }) => comments !== "only"));
  const inComments = compileTerms(terms);
  return {
    text: (text) => [...checkWords(text, inTexts), ...checkSentences(text)],
    comment: (text) => checkWords(text, inComments),
    opening: checkOpening,
  };
}
