/** Items in the order in which they came, each once. No operation takes longer the more items wait. */
export class Line<T> {
  readonly #items = new Set<T>();
  /** Continues behind the items that were taken. A new one would have to pass all of their places. */
  readonly #order = this.#items.values();

  get size(): number {
    return this.#items.size;
  }

  add(item: T): void {
    this.#items.add(item);
  }

  delete(item: T): void {
    this.#items.delete(item);
  }

  /** Takes the first item out. Only if there is one: the order ends permanently where it has no next item. */
  take(): T {
    const item = this.#order.next().value as T;
    this.#items.delete(item);
    return item;
  }
}
