import { takeTurns, type Turns } from "./take-turns.ts";

export interface Turn<T> {
  source: string;
  namespace: string;
  item: T;
}

/** A queue in which sources are served in turn, and within each source its namespaces. */
export interface SourceTurns<T> {
  push(turn: Turn<T>): void;
  /** Null if nothing waits. */
  next(): Turn<T> | null;
  /** Its work has taken so many ms. */
  charge(turn: Omit<Turn<unknown>, "item">, milliseconds: number): void;
}

/** All callers that were authenticated are one source. */
export function takeSourceTurns<T>(): SourceTurns<T> {
  const sources = takeTurns<null>();
  const own = new Map<string, { turns: Turns<T>; waiting: number }>();
  return {
    push({ source, namespace, item }) {
      const line = own.get(source) ?? { turns: takeTurns<T>(), waiting: 0 };
      own.set(source, line);
      line.waiting += 1;
      line.turns.push(namespace, item);
      sources.push(source, null);
    },
    next() {
      const source = sources.next()?.namespace;
      const line = source === undefined ? undefined : own.get(source);
      const turn = line?.turns.next() ?? null;
      if (source === undefined || line === undefined || turn === null) return null;
      line.waiting -= 1;
      // The line of authenticated callers stays: its namespaces keep what they have used.
      if (line.waiting === 0 && source !== "") own.delete(source);
      return { source, ...turn };
    },
    charge({ source, namespace }, milliseconds) {
      sources.charge(source, milliseconds);
      own.get(source)?.turns.charge(namespace, milliseconds);
    },
  };
}
