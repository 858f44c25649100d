/** An item that is underway. */
export interface Turn<T> {
  group: string;
  item: T;
  /** It has one of the places that only urgent items get. */
  isExtra: boolean;
}

/** Items that wait for their turn, each of a group. */
export interface FairQueue<T> {
  push(group: string, item: T): void;
  /** Adds an urgent item, or makes one that waits urgent: it comes before all others, in the order of their pushes. */
  pushFirst(group: string, item: T): void;
  /** The next item, which is now underway: an urgent one, otherwise of the group with the fewest underway. Null if none may begin. */
  take(): Turn<T> | null;
  /** An item is no longer underway. */
  done(turn: Pick<Turn<T>, "group" | "isExtra">): void;
  /** How many items are underway. */
  underway(): number;
}

export interface QueueLimits {
  /** Items underway at the same time. */
  all: number;
  /** Of these, items of one group. */
  group: number;
  /** Whose limit a group counts in, if several groups with turns of their own have one limit; the group itself if omitted. */
  holder?: (group: string) => string;
  /** Urgent items underway besides them, so that slow ones do not hold them up; 0 if omitted. */
  extra?: number;
}

/**
 * A queue in which groups are served in turn: many or slow items of one group do not hold up those of the others. Within a group, items
 * keep their order.
 */
export function createFairQueue<T>(limits: QueueLimits): FairQueue<T> {
  /** In the order of their turns. */
  const waiting = new Map<string, T[]>();
  const running = new Map<string, number>();
  const urgent: { group: string; item: T }[] = [];
  const extraIn = new Map<string, number>();
  let [underway, extra] = [0, 0];

  const holderOf = limits.holder ?? ((group: string): string => group);
  const underwayIn = (group: string): number => running.get(holderOf(group)) ?? 0;

  function begin(group: string, item: T): Turn<T> {
    underway += 1;
    running.set(holderOf(group), underwayIn(group) + 1);
    return { group, item, isExtra: false };
  }

  /** The next urgent item that has a place: one of the extra places, otherwise a usual one. Groups are served in turn here, too. */
  function takeFirst(): Turn<T> | null {
    const hasExtra = extra < (limits.extra ?? 0);
    const load = (group: string): number => underwayIn(group) + (extraIn.get(holderOf(group)) ?? 0);
    const ready = urgent.filter(({ group }) => hasExtra || (underway < limits.all && underwayIn(group) < limits.group));
    const [first] = ready.sort((one, other) => load(one.group) - load(other.group));
    if (first === undefined) return null;
    urgent.splice(urgent.indexOf(first), 1);
    if (!hasExtra) return begin(first.group, first.item);
    extra += 1;
    const holder = holderOf(first.group);
    extraIn.set(holder, (extraIn.get(holder) ?? 0) + 1);
    return { ...first, isExtra: true };
  }

  function nextGroup(): string | null {
    let [best, fewest] = [null as string | null, limits.group];
    for (const group of waiting.keys()) {
      const own = underwayIn(group);
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
    pushFirst(group, item) {
      const own = waiting.get(group) ?? [];
      const at = own.indexOf(item);
      if (at >= 0) own.splice(at, 1);
      if (own.length === 0) waiting.delete(group);
      if (!urgent.some((one) => one.item === item)) urgent.push({ group, item });
    },
    take() {
      const first = takeFirst();
      if (first !== null) return first;
      const group = underway < limits.all ? nextGroup() : null;
      const own = group === null ? undefined : waiting.get(group);
      if (group === null || own === undefined) return null;
      const item = own.shift() as T;
      // The group goes to the end: of groups with as many underway, each has its turn.
      waiting.delete(group);
      if (own.length > 0) waiting.set(group, own);
      return begin(group, item);
    },
    done({ group, isExtra }) {
      if (isExtra) extra -= 1;
      else underway -= 1;
      const counts = isExtra ? extraIn : running;
      const holder = holderOf(group);
      const left = (counts.get(holder) ?? 1) - 1;
      if (left === 0) counts.delete(holder);
      else counts.set(holder, left);
    },
    underway: () => underway + extra,
  };
}
