/**
 * What is on its way, by the number of its place; a number is given again once its place is free.
 *
 * Not a Map: under load a Map copies its table every few entries, V8 remembers each table that it has left, and what a table
 * held when it was copied stays until a collection of the whole heap, which comes every second then.
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

  /** Undefined where nothing is on its way under this number. */
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
