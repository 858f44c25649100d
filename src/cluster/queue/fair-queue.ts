import { Line } from "./line.ts";

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
  /** Adds an urgent item, or makes one that waits urgent: it comes before all others. Of urgent ones, too, the next is of the group with the fewest underway. */
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
  /** Groups in the order of their turns. */
  const [waiting, urgent] = [new Map<string, Line<T>>(), new Map<string, Line<T>>()];
  const running = new Map<string, number>();
  const extraIn = new Map<string, number>();
  let [underway, extra] = [0, 0];

  const holderOf = limits.holder ?? ((group: string): string => group);
  const underwayIn = (group: string): number => running.get(holderOf(group)) ?? 0;

  function begin(group: string, item: T): Turn<T> {
    underway += 1;
    running.set(holderOf(group), underwayIn(group) + 1);
    return { group, item, isExtra: false };
  }

  /** The group with the fewest underway, if they are fewer than `most`. */
  function nextOf(lines: ReadonlyMap<string, unknown>, most: number, load: (group: string) => number): string | null {
    let [best, fewest] = [null as string | null, most];
    for (const group of lines.keys()) {
      const own = load(group);
      if (own < fewest) [best, fewest] = [group, own];
      if (own === 0) break;
    }
    return best;
  }

  /** Takes the first item of a group, which goes to the end: of groups with as many underway, each has its turn. */
  function takeOf(lines: Map<string, Line<T>>, group: string): T {
    const line = lines.get(group) as Line<T>;
    const item = line.take();
    lines.delete(group);
    if (line.size > 0) lines.set(group, line);
    return item;
  }

  function add(lines: Map<string, Line<T>>, group: string, item: T): void {
    const line = lines.get(group) ?? new Line<T>();
    line.add(item);
    lines.set(group, line);
  }

  const extraOf = (group: string): number => extraIn.get(holderOf(group)) ?? 0;

  /** The next urgent item that has a place: one of the extra places, otherwise a usual one. Groups are served in turn here, too. */
  function takeFirst(): Turn<T> | null {
    if (extra >= (limits.extra ?? 0)) return takeUsual(urgent);
    const group = nextOf(urgent, Infinity, (one) => underwayIn(one) + extraOf(one));
    if (group === null) return null;
    extra += 1;
    extraIn.set(holderOf(group), extraOf(group) + 1);
    return { group, item: takeOf(urgent, group), isExtra: true };
  }

  function takeUsual(lines: Map<string, Line<T>>): Turn<T> | null {
    const group = underway < limits.all ? nextOf(lines, limits.group, underwayIn) : null;
    return group === null ? null : begin(group, takeOf(lines, group));
  }

  return {
    push(group, item) {
      add(waiting, group, item);
    },
    pushFirst(group, item) {
      const own = waiting.get(group);
      own?.delete(item);
      if (own?.size === 0) waiting.delete(group);
      add(urgent, group, item);
    },
    take: () => takeFirst() ?? takeUsual(waiting),
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
