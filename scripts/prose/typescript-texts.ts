import ts from "typescript";
import type { SourceText } from "./problem.ts";

/** A text for people has a blank between letters; a single word, a path or an expression is none. */
const isProse = (text: string): boolean => /\p{L}[^\s]* \S*\p{L}.* ?\S*\p{L}/u.test(text) && /\p{Ll}{2}/u.test(text);

function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isJsxText(node)) return node.text.replaceAll(/\s+/g, " ").trim();
  // What is filled in counts as one word.
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join("");
  return undefined;
}

/** Strings and templates of a TypeScript file that hold at least two words. */
export function typescriptTexts(file: string, source: string): SourceText[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest);
  const texts: SourceText[] = [];
  const visit = (node: ts.Node): void => {
    const text = literalText(node);
    if (text !== undefined && isProse(text))
      texts.push({ line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1, text });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}
