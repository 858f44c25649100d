import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { checkSentences } from "./check-sentences.ts";
import { checkWords, compileTerms, type Term } from "./check-words.ts";
import type { Finding } from "./finding.ts";

/** Takes a text without markup; gives what the rules find in it. */
export type Rules = (text: string) => Finding[];

/** All rules of the project, with the list of terms beside this file. */
export function openRules(): Rules {
  const terms = parse(readFileSync(new URL("terms.yaml", import.meta.url), "utf8")) as Term[];
  const patterns = compileTerms(terms);
  return (text) => [...checkWords(text, patterns), ...checkSentences(text)];
}
