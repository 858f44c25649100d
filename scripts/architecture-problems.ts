import { posix } from "node:path";
import ts from "typescript";
import { ALLOWED_IMPORTS, LINES, isEntry } from "./architecture-rules.ts";

interface SourceFile {
  path: string;
  /** Project files that it imports, as paths from the root. */
  imports: string[];
  /** What only an entry file may do. */
  edges: string[];
  lines: number;
}

const PROCESS_MEMBERS = new Set(["env", "exit", "exitCode", "argv", "abort"]);

/** The rule that an expression or import breaks outside entry files, or null. */
function edgeOf(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "process") {
    return PROCESS_MEMBERS.has(node.name.text) ? `process.${node.name.text}` : null;
  }
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "KubeConfig") {
    return "new KubeConfig";
  }
  const isProcessImport =
    ts.isImportDeclaration(node) && /["'](node:)?process["']/.test(node.moduleSpecifier.getText());
  return isProcessImport ? 'import of "node:process"' : null;
}

function readSource(path: string, text: string): SourceFile {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const folder = posix.dirname(path);
  const imports = importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => posix.normalize(posix.join(folder, fileName)));
  const edges = new Set<string>();
  const visit = (node: ts.Node): void => {
    const edge = edgeOf(node);
    if (edge !== null) edges.add(edge);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return { path, imports, edges: [...edges], lines: text.replace(/\n$/, "").split("\n").length };
}

function areaOf(path: string): string | null {
  const areas = Object.keys(ALLOWED_IMPORTS).filter((area) => path === area || path.startsWith(`${area}/`));
  return areas.reduce<string | null>((best, area) => (best === null || area.length > best.length ? area : best), null);
}

function directionProblems(file: SourceFile): string[] {
  const from = areaOf(file.path);
  if (from === null) return [`${file.path}: lies in no folder that scripts/architecture-rules.ts knows`];
  const allowed = ALLOWED_IMPORTS[from] ?? [];
  return file.imports.flatMap((target) => {
    const to = areaOf(target);
    // Files outside the areas (package.json, generated JSON) carry no code that could import back.
    if (to === null || to === from || allowed.includes(to)) return [];
    return [`${file.path}: ${from} must not import ${to} (${target})`];
  });
}

/** A file's folder; an entry file stands above its folder, as it puts the folder's parts together. */
const folderOf = (path: string): string =>
  /\b(main|server)\.ts$/.test(path) && isEntry(path) ? path : posix.dirname(path);

function folderGraph(files: readonly SourceFile[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const from = folderOf(file.path);
    const targets = graph.get(from) ?? new Set<string>();
    for (const target of file.imports.map(folderOf)) if (target !== from) targets.add(target);
    graph.set(from, targets);
  }
  return graph;
}

/** The shortest way from `start` back to itself, or null. */
function cycleThrough(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | null {
  const queue: string[][] = [[start]];
  const seen = new Set<string>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const last = path[path.length - 1] ?? start;
    for (const next of graph.get(last) ?? []) {
      if (next === start) return [...path, start];
      if (!seen.has(next)) queue.push([...path, next]);
      seen.add(next);
    }
  }
  return null;
}

function cycleProblems(files: readonly SourceFile[]): string[] {
  const graph = folderGraph(files);
  const reported = new Set<string>();
  const problems: string[] = [];
  for (const folder of [...graph.keys()].sort()) {
    const cycle = reported.has(folder) ? null : cycleThrough(graph, folder);
    if (cycle === null) continue;
    for (const member of cycle) reported.add(member);
    problems.push(`folders import each other: ${cycle.join(" -> ")}`);
  }
  return problems;
}

/**
 * What breaks the architecture in a tree of TypeScript files (path from the root -> text): imports against the allowed
 * direction, folders that import each other, the environment or a client outside entry files, files over the line limit.
 */
export function architectureProblems(tree: ReadonlyMap<string, string>): { problems: string[]; warnings: string[] } {
  const files = [...tree].map(([path, text]) => readSource(path, text));
  const code = files.filter((file) => !isEntry(file.path));
  const long = files.filter(
    ({ path, lines }) => lines > LINES.rule && !LINES.registries.some((registry) => registry === path),
  );
  const tooLong = long.filter(({ lines }) => lines > LINES.limit);
  const problems = [
    ...files.flatMap(directionProblems),
    ...cycleProblems(files),
    ...code.flatMap((file) => file.edges.map((edge) => `${file.path}: ${edge} belongs into an entry file`)),
    ...tooLong.map((file) => `${file.path}: ${file.lines} lines, limit ${LINES.limit}`),
  ];
  const warned = long.filter((file) => !tooLong.includes(file));
  return { problems, warnings: warned.map((file) => `${file.path}: ${file.lines} lines, rule ${LINES.rule}`) };
}
