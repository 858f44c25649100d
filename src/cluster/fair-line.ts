/** Items that wait for their turn, each of a group. */
export interface FairLine<T> {
  push(group: string, item: T): void;
  /** The next item, which is now underway, of the group with the fewest underway; null if none may begin. */
  take(): { group: string; item: T } | null;
  /** An item of the group is no longer underway. */
  done(group: string): void;
  /** How many items are underway. */
  underway(): number;
}

export interface LineLimits {
  /** Items underway at once. */
  all: number;
  /** Of these, items of one group. */
  group: number;
}

/**
 * A line in which groups take turns: many or slow items of one group do not hold up those of the others. Within a group, items
 * keep their order.
 */
export function createFairLine<T>(limits: LineLimits): FairLine<T> {
  /** In the order of their turns. */
  const waiting = new Map<string, T[]>();
  const running = new Map<string, number>();
  let underway = 0;

  function nextGroup(): string | null {
    let [best, fewest] = [null as string | null, limits.group];
    for (const group of waiting.keys()) {
      const own = running.get(group) ?? 0;
      if (own < fewest) [best, fewest] = [group, own];
      if (own === 0) break;
    }
    return best;
  }

  return {
    push(group, item) {
      const own = waiting.get(group) ?? [];
      own.push(item);
      waiting.set(group, own);
    },
    take() {
      const group = underway < limits.all ? nextGroup() : null;
      const own = group === null ? undefined : waiting.get(group);
      if (group === null || own === undefined) return null;
      const item = own.shift() as T;
      // The group goes to the end: of groups with as many underway, each has its turn.
      waiting.delete(group);
      if (own.length > 0) waiting.set(group, own);
      underway += 1;
      running.set(group, (running.get(group) ?? 0) + 1);
      return { group, item };
    },
    done(group) {
      underway -= 1;
      const left = (running.get(group) ?? 1) - 1;
      if (left === 0) running.delete(group);
      else running.set(group, left);
    },
    underway: () => underway,
  };
}
