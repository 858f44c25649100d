import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { listFiles } from "../list-files.ts";
import { ALLOWED_EXPRESSIONS } from "./allowed-expressions.ts";
import { superlinear } from "./regular-expressions.ts";

interface Expression {
  file: string;
  line: number;
  source: string;
  flags: string;
}

const PROGRAM = /^(?:src|webhook)\/.*\.ts$/;
const SCHEMA = /^schemas\/.*\.schema\.json$/;

function expressionsIn(file: string, text: string): Expression[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
      found.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Patterns of a JSON Schema, which validators use with the flag u. */
function patternsIn(file: string, text: string): Expression[] {
  const found: Expression[] = [];
  JSON.parse(text, (key, value: unknown) => {
    if (key === "pattern" && typeof value === "string") found.push({ file, line: 1, source: value, flags: "u" });
    return value;
  });
  return found;
}

/** Problems of these files: expressions whose time may grow faster than their text, and allowed ones that are gone. */
export function expressionProblems(files: readonly { file: string; text: string }[]): string[] {
  const unused = new Set(ALLOWED_EXPRESSIONS.map(({ source }) => source));
  const problems = files
    .flatMap(({ file, text }) => (SCHEMA.test(file) ? patternsIn(file, text) : expressionsIn(file, text)))
    .flatMap(({ file, line, source, flags }) => {
      const why = superlinear(source, flags);
      if (why === null || unused.delete(source)) return [];
      const isAllowed = ALLOWED_EXPRESSIONS.some((allowed) => allowed.source === source);
      return isAllowed ? [] : [`${file}:${String(line)}: /${source}/: ${why}`];
    });
  return [...problems, ...[...unused].map((source) => `allowed-expressions.ts: /${source}/ is used nowhere`)];
}

/** Checks every regular expression of the program and of the schemas. */
export async function checkRegularExpressions(root: string): Promise<string[]> {
  const names = (await listFiles(root)).filter((file) => PROGRAM.test(file) || SCHEMA.test(file));
  return expressionProblems(names.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") })));
}
