export interface WorkQueueOptions {
  /** How many keys are handled at once; one key is never handled twice at once. */
  workers: number;
  /** Answers ms after which the key is due again, or null. A throw means back-off. */
  handle: (key: string) => Promise<number | null>;
  onFailure: (key: string, thrown: unknown, retryMs: number) => void;
  /** First delay after a failure and the longest one, in ms. */
  backoff: { firstMs: number; maxMs: number };
  /** 0..1 */
  random?: () => number;
}

export interface WorkQueue {
  /** Handle `key` after `delayMs`, but not before its back-off is over. */
  add(key: string, delayMs?: number): void;
  /** The reason of the failure may be gone: handle now and count failures anew. */
  renew(key: string): void;
  /** Every key that waits for its back-off, now: for when an outage is over. */
  renewAll(): void;
  forget(key: string): void;
  /** Take no more and wait for what is underway. */
  drain(): Promise<void>;
}

interface KeyState {
  failures: number;
  /** Nothing is handled before this time (ms on a clock that nobody sets). */
  notBefore: number;
  timer: NodeJS.Timeout | null;
  /** When the timer fires. */
  due: number;
  waiting: boolean;
  running: boolean;
  /** Asked for again while it ran. */
  again: boolean;
}

const fresh = (): KeyState => ({
  failures: 0,
  notBefore: 0,
  timer: null,
  due: Infinity,
  waiting: false,
  running: false,
  again: false,
});

/** A queue of keys: no duplicates, one run per key at a time, exponential back-off with jitter per key. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { workers, handle, onFailure, backoff, random = Math.random } = options;
  const states = new Map<string, KeyState>();
  const ready: string[] = [];
  const underway = new Set<Promise<void>>();
  let closed = false;

  function state(key: string): KeyState {
    const known = states.get(key) ?? fresh();
    states.set(key, known);
    return known;
  }

  function clearTimer(of: KeyState): void {
    if (of.timer) clearTimeout(of.timer);
    of.timer = null;
    of.due = Infinity;
  }

  function enqueue(key: string, of: KeyState): void {
    clearTimer(of);
    if (of.running) of.again = true;
    else if (!of.waiting) {
      of.waiting = true;
      ready.push(key);
    }
    pump();
  }

  function add(key: string, delayMs = 0): void {
    if (closed) return;
    const of = state(key);
    const nowMs = performance.now();
    const due = Math.max(nowMs + delayMs, of.notBefore);
    if (due <= nowMs) {
      enqueue(key, of);
      return;
    }
    if (due >= of.due) return;
    clearTimer(of);
    of.due = due;
    of.timer = setTimeout(() => {
      enqueue(key, of);
    }, due - nowMs);
  }

  function fail(key: string, of: KeyState, thrown: unknown): void {
    const delay = Math.min(backoff.maxMs, backoff.firstMs * 2 ** of.failures) * (0.75 + random() / 2);
    of.failures += 1;
    of.notBefore = performance.now() + delay;
    onFailure(key, thrown, Math.round(delay));
    add(key);
  }

  async function run(key: string, of: KeyState): Promise<void> {
    try {
      const next = await handle(key);
      of.failures = 0;
      of.notBefore = 0;
      if (next !== null) add(key, next);
    } catch (thrown) {
      fail(key, of, thrown);
    } finally {
      of.running = false;
    }
    if (of.again) {
      of.again = false;
      add(key);
    } else if (!of.timer && !of.waiting) states.delete(key);
  }

  function pump(): void {
    while (!closed && underway.size < workers) {
      const key = ready.shift();
      if (key === undefined) return;
      const of = state(key);
      of.waiting = false;
      of.running = true;
      const work = run(key, of).finally(() => {
        underway.delete(work);
        pump();
      });
      underway.add(work);
    }
  }

  function renew(key: string): void {
    if (closed) return;
    const of = state(key);
    of.failures = 0;
    of.notBefore = 0;
    enqueue(key, of);
  }

  return {
    add,
    renew,
    renewAll() {
      for (const [key, of] of states) if (of.notBefore > 0) renew(key);
    },
    forget(key) {
      const of = states.get(key);
      if (!of || of.running) return;
      clearTimer(of);
      states.delete(key);
    },
    async drain() {
      closed = true;
      for (const of of states.values()) clearTimer(of);
      await Promise.allSettled(underway);
    },
  };
}
