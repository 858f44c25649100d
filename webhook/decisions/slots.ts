/**
 * Requests in flight by id; an id is reused once its slot is free.
 *
 * Not a Map: under load, a Map copies its table every few entries, and V8 keeps what an abandoned table held until the next
 * major garbage collection, which then runs every second.
 */
export class Slots<Item> {
  readonly #items: (Item | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  add(item: Item): number {
    const id = this.#free.pop() ?? this.#items.length;
    this.#items[id] = item;
    return id;
  }

  /** Undefined if no request has this id. */
  get(id: number): Item | undefined {
    return this.#items[id];
  }

  /** Undefined if no request has this id. */
  take(id: number): Item | undefined {
    const item = this.#items[id];
    if (item === undefined) return undefined;
    this.#items[id] = undefined;
    this.#free.push(id);
    return item;
  }

  all(): Item[] {
    return this.#items.filter((item) => item !== undefined);
  }

  clear(): void {
    this.#items.length = 0;
    this.#free.length = 0;
  }
}
