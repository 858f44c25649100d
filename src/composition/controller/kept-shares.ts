import type { Resource } from "../types.ts";
import { type Kept, keepComposition, keepLeast } from "./keep-composition.ts";

/** Characters of the objects of one namespace that are kept; of further ones, what schedules and lists need. Some thousand objects of a normal size. */
const MOST_OF_NAMESPACE = 16 * 1024 * 1024;

interface Share {
  namespace: string;
  characters: number;
}

const uidOf = ({ metadata }: Resource): string => metadata.uid ?? "";

/**
 * The shares of namespaces in what is kept of all objects. Quotas need not limit how many objects a namespace has, and one with many large ones would take the
 * memory in which the controller works for all.
 */
export class KeptShares {
  readonly #most: number;
  /** By the uid of the object. */
  readonly #shares = new Map<string, Share>();
  readonly #totals = new Map<string, number>();

  constructor(most = MOST_OF_NAMESPACE) {
    this.#most = most;
  }

  /** The parts of an object that are kept from now on. */
  keep(object: Resource): Kept {
    const { namespace = "" } = object.metadata;
    this.drop(object);
    const kept = keepComposition(object);
    const total = (this.#totals.get(namespace) ?? 0) + kept.characters;
    if (total > this.#most) return keepLeast(object);
    this.#totals.set(namespace, total);
    this.#shares.set(uidOf(object), { namespace, characters: kept.characters });
    return kept;
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

  #end(uid: string): void {
    const share = this.#shares.get(uid);
    if (share === undefined) return;
    this.#shares.delete(uid);
    const left = (this.#totals.get(share.namespace) ?? 0) - share.characters;
    if (left > 0) this.#totals.set(share.namespace, left);
    else this.#totals.delete(share.namespace);
  }
}
