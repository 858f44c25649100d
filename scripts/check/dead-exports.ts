import { posix } from "node:path";
import ts from "typescript";

/** Files of the program, with its pages; others (tests, scripts, benchmarks) may use it, and are not checked themselves. */
const PROGRAM = /^(?:src|webhook|web)\//;
const TEST = /^test\//;

interface Export {
  name: string;
  isType: boolean;
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

function namesOf(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesOf(element.name)));
}

/** What a statement exports by its own declaration. */
function declared(statement: ts.Statement): Export[] {
  if (!isExported(statement)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      namesOf(name).map((one) => ({ name: one, isType: false })),
    );
  const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
  if (isType || ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return statement.name === undefined ? [] : [{ name: statement.name.text, isType }];
  return [];
}

/** The names between the braces of an import or export; all of them as `*`. */
function namesIn(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): string[] {
  if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return ["*"];
  return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

/** The names that a statement takes from another module; null if it takes none. */
function taken(statement: ts.Statement): { from: string; names: string[] } | null {
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined) return null;
    return { from: (statement.moduleSpecifier as ts.StringLiteral).text, names: namesIn(bindings) };
  }
  if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return null;
  return { from: (statement.moduleSpecifier as ts.StringLiteral).text, names: namesIn(statement.exportClause) };
}

/** Modules that a file loads later, or names in a type: `import("./x.ts")`. */
const LATE = /\bimport\(\s*"(\.[^"]+)"/g;

interface Read {
  exports: Export[];
  uses: { file: string; names: string[] }[];
}

function read(file: string, text: string): Read {
  const statements = [...ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements];
  const late = [...text.matchAll(LATE)].map(([, from = ""]) => ({ from, names: ["*"] }));
  const uses = [...statements.flatMap((statement) => taken(statement) ?? []), ...late]
    .filter(({ from }) => from.startsWith("."))
    .map(({ from, names }) => ({ file: posix.join(posix.dirname(file), from), names }));
  return { exports: PROGRAM.test(file) ? statements.flatMap(declared) : [], uses };
}

const isUsedIn = (text: string, name: string): boolean =>
  [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length > 1;

/**
 * Exports of `src/` and `webhook/` that are dead: no other file imports the value, or only tests do although its own file does not
 * need it either. A type may describe an exported function without being imported.
 */
export function deadExports(files: ReadonlyMap<string, string>): string[] {
  const known = [...files].map(([file, text]) => ({ file, text, ...read(file, text) }));
  const users = new Map<string, Set<string>>();
  for (const { file: user, uses } of known)
    for (const { file, names } of uses)
      for (const name of names) {
        const key = `${file} ${name}`;
        users.set(key, (users.get(key) ?? new Set()).add(user));
      }
  return known.flatMap(({ file, text, exports }) =>
    exports.flatMap(({ name, isType }) => {
      const by = [...(users.get(`${file} ${name}`) ?? []), ...(users.get(`${file} *`) ?? [])];
      if (by.some((user) => !TEST.test(user))) return [];
      const own = isUsedIn(text, name);
      if (own && (isType || by.length > 0)) return [];
      if (own) return [`${file}: ${name} is imported nowhere: do not export it`];
      return [`${file}: ${name} is used ${by.length === 0 ? "nowhere" : "by tests only"}: delete it`];
    }),
  );
}
