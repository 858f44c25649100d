import type { Kept } from "../../cluster/kept-shares.ts";
import type { Resource } from "../types.ts";

interface Loaded {
  object: Resource;
  owners: Set<string>;
}

/** Objects that are read for the reconciles of their owners, and kept as long as one of these is underway. */
export class LoadedObjects {
  readonly #objects = new Map<string, Loaded>();
  readonly #parts = new WeakSet<Resource>();

  get(id: string): Resource | undefined {
    return this.#objects.get(id)?.object;
  }

  /** Whether the object was read for this owner. */
  has(id: string, owner: string): boolean {
    return this.#objects.get(id)?.owners.has(owner) === true;
  }

  /** Whether only short fields of this object are kept. */
  isPart(object: Resource): boolean {
    return this.#parts.has(object);
  }

  /** Keeps what was read; for other owners that are underway, too. */
  put(id: string, owner: string, { object, isWhole }: Pick<Kept, "object" | "isWhole">): void {
    const owners = this.#objects.get(id)?.owners ?? new Set();
    if (!isWhole) this.#parts.add(object);
    this.#objects.set(id, { object, owners: owners.add(owner) });
  }

  /** The reconcile of this owner is over. */
  drop(owner: string): void {
    for (const [id, { owners }] of this.#objects) {
      owners.delete(owner);
      if (owners.size === 0) this.#objects.delete(id);
    }
  }
}
