import { takeTurns } from "./take-turns.ts";

/** Whose turn it is. */
export interface Who {
  /** Empty for all callers that were authenticated. */
  source: string;
  namespace: string;
  /** Empty if it is not known. */
  user: string;
}

export interface Turn<T> extends Who {
  item: T;
}

/** A queue in which sources are served in turn, within each source its namespaces, and within each namespace its users. */
export interface SourceTurns<T> {
  push(turn: Turn<T>): void;
  /** Null if nothing waits. */
  next(): Turn<T> | null;
  /** Its work has taken so many ms. */
  charge(turn: Who, milliseconds: number): void;
}

/** Items by a path of names; those of each level are served in turn. */
interface Level<T> {
  readonly waiting: number;
  push(path: readonly string[], item: T): void;
  next(): { path: string[]; item: T } | null;
  charge(path: readonly string[], milliseconds: number): void;
}

function lastLevel<T>(): Level<T> {
  const items: T[] = [];
  return {
    get waiting() {
      return items.length;
    },
    push: (_, item) => void items.push(item),
    next: () => (items.length === 0 ? null : { path: [], item: items.shift() as T }),
    charge: () => undefined,
  };
}

/** `keeps`: whether a name keeps its level while nothing of it waits. What was used below is forgotten with the level. */
function levelOf<T>(open: () => Level<T>, keeps: (name: string) => boolean): Level<T> {
  const turns = takeTurns<null>();
  const lines = new Map<string, Level<T>>();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    push([name = "", ...path], item) {
      const line = lines.get(name) ?? open();
      lines.set(name, line);
      line.push(path, item);
      turns.push(name, null);
      waiting += 1;
    },
    next() {
      const name = turns.next()?.namespace;
      const line = name === undefined ? undefined : lines.get(name);
      const found = line?.next() ?? null;
      if (name === undefined || line === undefined || found === null) return null;
      waiting -= 1;
      if (line.waiting === 0 && !keeps(name)) lines.delete(name);
      return { path: [name, ...found.path], item: found.item };
    },
    charge([name = "", ...path], milliseconds) {
      turns.charge(name, milliseconds);
      lines.get(name)?.charge(path, milliseconds);
    },
  };
}

const never = (): boolean => false;

/** All callers that were authenticated are one source. */
export function takeSourceTurns<T>(): SourceTurns<T> {
  const users = (): Level<T> => levelOf<T>(lastLevel, never);
  const namespaces = (): Level<T> => levelOf(users, never);
  // The line of authenticated callers stays: its namespaces keep what they have used.
  const sources = levelOf(namespaces, (source) => source === "");
  return {
    push: ({ source, namespace, user, item }) => sources.push([source, namespace, user], item),
    next() {
      const found = sources.next();
      if (found === null) return null;
      const [source = "", namespace = "", user = ""] = found.path;
      return { source, namespace, user, item: found.item };
    },
    charge: ({ source, namespace, user }, milliseconds) => sources.charge([source, namespace, user], milliseconds),
  };
}
