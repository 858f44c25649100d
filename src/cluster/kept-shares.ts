import type { Resource } from "../model/kubernetes.ts";

/** The parts of an object that are kept. */
export interface Kept {
  object: Resource;
  /** Whether no one needs more of it: otherwise an object is read again where it is worked on. */
  isWhole: boolean;
  /** About the bytes that they take. */
  weight: number;
}

export interface Keeping {
  /** The parts of an object that are kept while its namespace has not its share: of limited size. */
  parts: (object: Resource) => Kept;
  /** The little that is kept of further ones. */
  least: (object: Resource) => Resource;
}

/** Bytes of the objects of one namespace that are kept; of further ones, the least. Some thousand objects of a normal size. */
const MOST_OF_NAMESPACE = 16 * 1024 * 1024;

interface Share {
  namespace: string;
  weight: number;
}

const uidOf = ({ metadata }: Resource): string => metadata.uid ?? "";

/**
 * The shares of namespaces in what is kept of all objects. Quotas need not limit how many objects a namespace has, and one with many large ones would take the
 * memory in which a process works for all.
 */
export class KeptShares {
  readonly #keeping: Keeping;
  readonly #most: number;
  /** By the uid of the object. */
  readonly #shares = new Map<string, Share>();
  readonly #totals = new Map<string, number>();
  readonly #parts = new WeakSet<Resource>();
  readonly #least = new WeakSet<Resource>();

  constructor(keeping: Keeping, most = MOST_OF_NAMESPACE) {
    this.#keeping = keeping;
    this.#most = most;
  }

  /** The parts of an object that are kept from now on. */
  keep(object: Resource): Resource {
    const { namespace = "" } = object.metadata;
    this.drop(object);
    const kept = this.#keeping.parts(object);
    const total = (this.#totals.get(namespace) ?? 0) + kept.weight;
    if (total > this.#most) return this.#leastOf(object);
    this.#totals.set(namespace, total);
    this.#shares.set(uidOf(object), { namespace, weight: kept.weight });
    if (!kept.isWhole) this.#parts.add(kept.object);
    return kept.object;
  }

  /** Whether this is all that anyone needs of an object that was kept. */
  isWhole(kept: Resource): boolean {
    return !this.#parts.has(kept) && !this.#least.has(kept);
  }

  /** Whether only the least is kept of this object. */
  isLeast(kept: Resource): boolean {
    return this.#least.has(kept);
  }

  /** The object is gone. */
  drop(object: Resource): void {
    this.#end(uidOf(object));
  }

  /** Forgets the objects of kinds that are no longer served, of which no one says that they are gone. */
  keepOnly(objects: readonly Resource[]): void {
    const uids = new Set(objects.map(uidOf));
    for (const uid of this.#shares.keys()) if (!uids.has(uid)) this.#end(uid);
  }

  #leastOf(object: Resource): Resource {
    const least = this.#keeping.least(object);
    this.#least.add(least);
    return least;
  }

  #end(uid: string): void {
    const share = this.#shares.get(uid);
    if (share === undefined) return;
    this.#shares.delete(uid);
    const left = (this.#totals.get(share.namespace) ?? 0) - share.weight;
    if (left > 0) this.#totals.set(share.namespace, left);
    else this.#totals.delete(share.namespace);
  }
}
