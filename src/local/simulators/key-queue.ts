/**
 * Works on keys: each at most once at a time, `workers` of them together. A key that is added while it is worked on is
 * worked on again afterwards.
 */
export class KeyQueue {
  readonly #work: (key: string) => Promise<void>;
  readonly #workers: number;
  readonly #waiting = new Set<string>();
  readonly #active = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  /** `work` must not reject. */
  constructor(workers: number, work: (key: string) => Promise<void>) {
    this.#workers = workers;
    this.#work = work;
  }

  add(key: string): void {
    this.#waiting.add(key);
    this.#pump();
  }

  /** Adds the key after a while; a later call for the same key takes the place of an earlier one. */
  addLater(key: string, milliseconds: number): void {
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, milliseconds);
    this.#timers.set(key, timer);
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#waiting.clear();
  }

  #pump(): void {
    for (const key of this.#waiting) {
      if (this.#active.size >= this.#workers) return;
      if (this.#active.has(key)) continue;
      this.#waiting.delete(key);
      this.#active.add(key);
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    await this.#work(key);
    this.#active.delete(key);
    this.#pump();
  }
}
