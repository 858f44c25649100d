/** The position of a cursor in a block of YAML. */
export interface Cursor {
  /** The map or list that the cursor is in; -1 stands for an entry of a list. */
  path: (string | number)[];
  /** The key whose value is written; null if a key or an entry is. */
  key: string | null;
  /** The text before the cursor, from where it begins. */
  word: string;
  from: number;
}

interface Line {
  /** Columns of the dashes before the key. */
  dashes: number[];
  /** The column of the key, or of what stands there. */
  column: number;
  /** Null if the line has no key. */
  key: string | null;
  /** The text behind the key, or behind the dashes. */
  rest: string;
  restColumn: number;
}

/** An entry of a list, whichever it is. */
const ENTRY = -1;

function readLine(line: string): Line {
  const dashes: number[] = [];
  let column = line.length - line.trimStart().length;
  while (line.startsWith("- ", column) || line.slice(column) === "-") {
    dashes.push(column);
    const after = line.slice(column + 1);
    column += 1 + after.length - after.trimStart().length;
  }
  const found = /^(?<key>[\w./-]{1,253}):(?<gap> {1,40}|$)/.exec(line.slice(column))?.groups;
  const key = found?.["key"] ?? null;
  const restColumn = key === null ? column : column + key.length + 1 + (found?.["gap"] ?? "").length;
  return { dashes, column, key, rest: line.slice(restColumn), restColumn };
}

const isEmpty = (line: string): boolean => /^\s*(?:#|$|---)/.test(line);

/** The state of the walk up: lines further right belong to something else. */
interface Walk {
  path: (string | number)[];
  limit: number;
  /** Whether the last step was an entry: its list may stand below a key of the same column. */
  isEntry: boolean;
}

function enterDashes(walk: Walk, dashes: readonly number[], column: number): void {
  if (column !== walk.limit) return;
  for (const dash of dashes.toReversed()) {
    walk.path.unshift(ENTRY);
    walk.limit = dash;
    walk.isEntry = true;
  }
}

function step(walk: Walk, { dashes, column, key, rest }: Line): void {
  const isParent =
    key !== null &&
    rest === "" &&
    (column < walk.limit || (walk.isEntry && column === walk.limit && dashes.length === 0));
  if (isParent) {
    walk.path.unshift(key);
    walk.limit = column;
    walk.isEntry = false;
  }
  enterDashes(walk, dashes, column);
}

/** The position of the cursor in the object, by the indentation of the lines before it. Flow style is not read. */
export function cursorAt(text: string, offset: number): Cursor {
  const before = text.slice(0, offset).split("\n");
  const line = before.pop() ?? "";
  const own = readLine(line);
  const walk: Walk = { path: [], limit: own.column, isEntry: false };
  enterDashes(walk, own.dashes, own.column);
  for (const previous of before.toReversed()) {
    if (walk.limit === 0 && !walk.isEntry) break;
    if (!isEmpty(previous)) step(walk, readLine(previous));
  }
  return { path: walk.path, key: own.key, word: own.rest, from: offset - line.length + own.restColumn };
}

/** The keys of a block that begin in a column; the block ends where a line begins further left, or with an entry of a list. */
function keysIn(lines: readonly string[], column: number, isUp: boolean): string[] {
  const keys: string[] = [];
  for (const line of lines.map(readLine)) {
    const isEntry = line.dashes.length > 0;
    if (line.column < column || (isEntry && !isUp)) break;
    if (line.column === column && line.key !== null) keys.push(line.key);
    if (line.column === column && isEntry) break;
  }
  return keys;
}

/** The keys that the map at the cursor has already, in other lines. */
export function siblingsAt(text: string, offset: number): string[] {
  const before = text.slice(0, offset).split("\n");
  const own = readLine(before.pop() ?? "");
  const after = text.slice(offset).split("\n").slice(1);
  const [above, below] = [before.toReversed(), after].map((lines) => lines.filter((line) => !isEmpty(line)));
  return [
    ...(own.dashes.length > 0 ? [] : keysIn(above ?? [], own.column, true)),
    ...keysIn(below ?? [], own.column, false),
  ];
}
