/** Items that wait for their turn, each of a namespace. */
export interface Turns<T> {
  push(namespace: string, item: T): void;
  /** The next item, of the namespace that has used the least time; null if nothing waits. */
  next(): { namespace: string; item: T } | null;
  /** Work for this namespace has taken so many ms. */
  charge(namespace: string, milliseconds: number): void;
}

interface Group<T> {
  items: T[];
  /** The time that it has used, in ms, counted from where the others were when it began to wait. */
  used: number;
}

/** The minimum charge in ms, so that namespaces whose work takes no time are served in turn as well. */
const LEAST_MS = 0.05;

/**
 * A queue in which namespaces are served in turn by the time that their items take: many or slow ones of one namespace do not hold up
 * those of the others. Within a namespace, items keep their order.
 */
export function takeTurns<T>(): Turns<T> {
  const groups = new Map<string, Group<T>>();
  /** How much the namespace had used whose turn was last. Idle ones save nothing up. */
  let level = 0;

  function least(): [string, Group<T>] | null {
    let best: [string, Group<T>] | null = null;
    for (const entry of groups) {
      const [namespace, { items, used }] = entry;
      if (items.length > 0 && (best === null || used < best[1].used)) best = entry;
      if (items.length === 0 && used <= level) groups.delete(namespace);
    }
    return best;
  }

  return {
    push(namespace, item) {
      const group = groups.get(namespace) ?? { items: [], used: level };
      if (group.items.length === 0) group.used = Math.max(group.used, level);
      group.items.push(item);
      groups.set(namespace, group);
    },
    next() {
      const best = least();
      if (best === null) return null;
      const [namespace, group] = best;
      level = group.used;
      return { namespace, item: group.items.shift() as T };
    },
    charge(namespace, milliseconds) {
      const group = groups.get(namespace);
      if (group !== undefined) group.used += Math.max(milliseconds, LEAST_MS);
    },
  };
}
