import { createRequire } from "node:module";
import type * as Re2 from "re2js";

const load = createRequire(import.meta.url);

/** A pattern of files: `*-prod`. */
const WILDCARD = /^[\w.-]*[*?][\w.*?-]*$/;

/** Syntax of JavaScript and Perl that RE2 lacks, by the first part that it refuses. */
const BEYOND: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<?[!=]/, "RE2 has no (?!…), (?=…) and (?<…), so write what a name must be"],
  [/^\\\d/, "RE2 has no references to groups, so write the text itself"],
];

export interface RegexFault {
  /** Continues "is not a regular expression (RE2): ". */
  detail: string;
  /** The pattern that is meant, where that is known. */
  meant: string | null;
}

/** The wildcard as a regular expression; null if it is none. */
const fromWildcard = (text: string): string | null =>
  WILDCARD.test(text)
    ? `^${text
        .replaceAll(".", String.raw`\.`)
        .replaceAll(/\*+/g, ".*")
        .replaceAll("?", ".")}$`
    : null;

/** Why a text is not a regular expression of RE2, which policies take; null if it is one. */
export function regexFault(text: string): RegexFault | null {
  const { RE2JS, RE2JSSyntaxException } = load("re2js") as typeof Re2;
  try {
    RE2JS.compile(text);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof RE2JSSyntaxException)) return { detail: "it is too large", meant: null };
    const { error, input } = thrown;
    const [, beyond] = BEYOND.find(([part]) => part.test(input ?? "")) ?? [];
    return { detail: beyond ?? (input === null ? error : `${error}: ${input}`), meant: fromWildcard(text) };
  }
}
