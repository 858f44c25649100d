import { Lexer, parse } from "yaml";

/** Limits of a YAML text from an untrusted source. */
export interface YamlLimits {
  characters: number;
  /** Names, texts, brackets, indentations and other parts. */
  tokens: number;
}

/** The parsed value, or the error without a quotation: the text can hold credentials. */
export type ParsedYaml = { value: unknown } | { problem: string };

/** Whether a YAML text has more tokens, in time that grows as its length. */
export function hasMoreTokens(text: string, most: number): boolean {
  const tokens = new Lexer().lex(text);
  for (let count = 0; count <= most; count++) if (tokens.next().done === true) return false;
  return true;
}

/**
 * Parses YAML that others write. The parser's time grows with the square of what is wrong in a text, and of the keys of a mapping; that of the
 * lexer, which counts first, does not.
 */
export function parseForeignYaml(text: string, { characters, tokens }: YamlLimits): ParsedYaml {
  if (text.length > characters) return { problem: `it has more than ${String(characters)} characters` };
  if (hasMoreTokens(text, tokens)) return { problem: `it has more than ${String(tokens)} YAML tokens` };
  try {
    // Warnings would quote the text.
    return { value: parse(text, { logLevel: "error", prettyErrors: false }) as unknown };
  } catch {
    return { problem: "it is not valid YAML" };
  }
}
