import { interleave } from "../model/interleave.ts";
import { sha256 } from "../model/sha256.ts";

/** Something of a namespace. */
interface Named {
  metadata: { namespace?: string; name?: string };
}

export interface FairSample<T> {
  add(item: T): void;
  /** The sample: one item of each owner, then a second one, and so on. */
  take(): T[];
}

/** Whose a namespace is; equal for all namespaces of one owner. */
export type OwnerOf = (namespace: string) => string;

/** Each namespace is an owner of its own. */
export const itself: OwnerOf = (namespace) => namespace;

interface Bucket<T> {
  rank: string;
  items: { rank: string; item: T }[];
}

const byRank = (one: { rank: string }, other: { rank: string }): number => (one.rank < other.rank ? -1 : 1);

/**
 * A sample of at most `most` items, with the same share for each owner of namespaces, however many namespaces and items it has. Which ones
 * depends on their names and on `seed` alone, in an order that no one who does not know the seed can choose names for. Memory is bounded
 * by `most` and the number of owners, not by the number of items.
 */
export function sampleFairly<T extends Named>(most: number, seed: string, ownerOf = itself): FairSample<T> {
  const buckets = new Map<string, Bucket<T>>();

  function dropLast(): void {
    const [last] = [...buckets].sort(([, one], [, other]) => byRank(other, one));
    if (last !== undefined) buckets.delete(last[0]);
  }

  function bucketOf(owner: string): Bucket<T> {
    const found = buckets.get(owner) ?? { rank: sha256(`${seed}/${owner}`), items: [] };
    buckets.set(owner, found);
    return found;
  }

  return {
    add: (item) => {
      if (most <= 0) return;
      const { namespace = "", name = "" } = item.metadata;
      const { items } = bucketOf(ownerOf(namespace));
      items.push({ rank: sha256(`${seed}/${namespace}/${name}`), item });
      items.sort(byRank);
      if (buckets.size > most) dropLast();
      items.splice(Math.ceil(most / buckets.size));
    },
    take: () => {
      const sorted = [...buckets.values()].sort(byRank);
      return interleave(sorted.map(({ items }) => items.map(({ item }) => item))).slice(0, most);
    },
  };
}
