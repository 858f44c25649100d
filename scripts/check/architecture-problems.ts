import { posix } from "node:path";
import ts from "typescript";
import { ALLOWED_IMPORTS, FOLDER_FILES, LINES, isEntry } from "./architecture-rules.ts";

interface SourceFile {
  path: string;
  /** Project files that it imports, as paths from the root. */
  imports: string[];
  /** What it does although only an entry file may. */
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

/** What only an entry file may do. Parsing takes a second for every 300 files: most lack the words of which it is made. */
function edgesOf(path: string, text: string): string[] {
  if (!/\b(?:process|KubeConfig)\b/.test(text)) return [];
  const edges = new Set<string>();
  const visit = (node: ts.Node): void => {
    const edge = edgeOf(node);
    if (edge !== null) edges.add(edge);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return [...edges];
}

function readSource(path: string, text: string): SourceFile {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  const folder = posix.dirname(path);
  const imports = importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => posix.normalize(posix.join(folder, fileName)));
  const edges = isEntry(path) ? [] : edgesOf(path, text);
  return { path, imports, edges, lines: text.replace(/\n$/, "").split("\n").length };
}

function areaOf(path: string): string | null {
  const areas = Object.keys(ALLOWED_IMPORTS).filter((area) => path === area || path.startsWith(`${area}/`));
  return areas.reduce<string | null>((best, area) => (best === null || area.length > best.length ? area : best), null);
}

function directionProblems(file: SourceFile): string[] {
  const from = areaOf(file.path);
  if (from === null) return [`${file.path}: lies in no folder that scripts/check/architecture-rules.ts knows`];
  const allowed = ALLOWED_IMPORTS[from] ?? [];
  return file.imports.flatMap((target) => {
    const to = areaOf(target);
    // Files outside the areas (package.json, generated JSON) carry no code that could import back.
    if (to === null || to === from || allowed.includes(to)) return [];
    return [`${file.path}: ${from} must not import ${to} (${target})`];
  });
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const fileGraph = (files: readonly SourceFile[]): Graph =>
  new Map(files.map((file) => [file.path, new Set(file.imports)]));

/** Which folder imports which. A folder and its subfolders are one part: what passes between them is left to the files. */
function folderGraph(files: readonly SourceFile[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const from = posix.dirname(file.path);
    const related = (to: string): boolean => `${to}/`.startsWith(`${from}/`) || `${from}/`.startsWith(`${to}/`);
    const targets = file.imports.map((target) => posix.dirname(target)).filter((to) => !related(to));
    graph.set(from, new Set([...(graph.get(from) ?? []), ...targets]));
  }
  return graph;
}

/** The shortest way from `start` back to itself, or null. */
function cycleThrough(graph: Graph, start: string): string[] | null {
  const queue: string[][] = [[start]];
  const seen = new Set<string>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const targets = graph.get(path.at(-1) ?? start) ?? new Set<string>();
    if (targets.has(start)) return [...path, start];
    queue.push(...[...targets].filter((next) => !seen.has(next)).map((next) => [...path, next]));
    for (const next of targets) seen.add(next);
  }
  return null;
}

function cycleProblems(graph: Graph): string[] {
  const reported = new Set<string>();
  const problems: string[] = [];
  for (const node of [...graph.keys()].sort()) {
    const cycle = reported.has(node) ? null : cycleThrough(graph, node);
    if (cycle === null) continue;
    for (const member of cycle) reported.add(member);
    problems.push(`import each other: ${cycle.join(" -> ")}`);
  }
  return problems;
}

/** How a folder's own files and its subfolders import each other: a file for itself, a subfolder as one part. */
function levelGraph(files: readonly SourceFile[], folder: string): Graph {
  const inside = files.filter(({ path }) => path.startsWith(`${folder}/`));
  const partOf = (path: string): string => (posix.dirname(path) === folder ? path : posix.dirname(path));
  const related = (one: string, other: string): boolean =>
    `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of inside) {
    const from = partOf(path);
    const targets = imports.filter((target) => target.startsWith(`${folder}/`)).map(partOf);
    const others = targets.filter((to) => !related(from, to));
    graph.set(from, new Set([...(graph.get(from) ?? []), ...others]));
  }
  return graph;
}

const isFile = (part: string): boolean => /\.tsx?$/.test(part);

/** Files that a subfolder imports and that import this subfolder: a folder's own file lies below its subfolders or above them. */
function upwardProblems(files: readonly SourceFile[]): string[] {
  const folders = new Set(files.map(({ path }) => posix.dirname(path)));
  return [...folders].sort().flatMap((folder) => {
    const graph = levelGraph(files, folder);
    const own = [...graph.keys()].filter(isFile).sort();
    return own.flatMap((file) => {
      const cycle = cycleThrough(graph, file);
      if (cycle === null || cycle.every(isFile)) return [];
      return [`${file}: its subfolders import it, and it imports them: ${cycle.join(" -> ")}`];
    });
  });
}

/** Folders of the product with too many files of their own. */
function folderProblems(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths.filter((one) => /^(src|webhook)\//.test(one)))
    counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES)
    .map(([folder, count]) => `${folder}: ${count} files, limit ${FOLDER_FILES}: split it by what a reader looks for`);
}

const limitOf = (path: string): number => {
  if (LINES.registries.some((registry) => registry === path)) return Infinity;
  return path.startsWith("test/") ? LINES.testLimit : LINES.limit;
};

/**
 * What breaks the architecture in a tree of TypeScript files (path from the root -> text): imports against the allowed
 * direction, folders that import each other, the environment or a client outside entry files, files over the line limit, folders of
 * too many files.
 */
export function architectureProblems(tree: ReadonlyMap<string, string>): { problems: string[]; warnings: string[] } {
  const files = [...tree].map(([path, text]) => readSource(path, text));
  const circles = cycleProblems(fileGraph(files));
  const problems = [
    ...files.flatMap(directionProblems),
    ...cycleProblems(folderGraph(files)),
    ...(circles.length > 0 ? circles : upwardProblems(files)),
    ...folderProblems(files.map(({ path }) => path)),
    ...files.flatMap((file) => file.edges.map((edge) => `${file.path}: ${edge} belongs into an entry file`)),
    ...files
      .filter(({ path, lines }) => lines > limitOf(path))
      .map((file) => `${file.path}: ${file.lines} lines, limit ${limitOf(file.path)}`),
  ];
  const long = files.filter(
    ({ path, lines }) => lines > LINES.rule && lines <= limitOf(path) && limitOf(path) === LINES.limit,
  );
  return { problems, warnings: long.map((file) => `${file.path}: ${file.lines} lines, rule ${LINES.rule}`) };
}
