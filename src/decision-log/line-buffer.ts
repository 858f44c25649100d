/** Delivers lines to their destination; rejects if the delivery must be retried. */
export type Deliver = (lines: readonly string[]) => Promise<void>;

/** Thrown by a `Deliver` for lines that are permanently refused. */
export class Refused extends Error {}

export interface BufferOptions {
  deliver: Deliver;
  /** Maximum number of waiting characters. */
  capacity: number;
  /** Maximum number of characters per delivery. */
  batch: number;
  /** How long lines wait to be delivered together, in ms. */
  lingerMs: number;
  /** The first pause after a failure, in ms; it doubles up to 30 s. */
  retryMs: number;
}

export interface LineBuffer {
  /** Adds a line, or counts it as lost if the buffer is full. */
  add(line: string): void;
  /** Resolves as soon as there is space, or after `ms`. */
  whenSpace(ms: number): Promise<void>;
  /** Number of lost lines so far. */
  lost(): number;
  /** Delivers waiting lines, for at most `ms`; others are lost. */
  close(ms: number): Promise<void>;
}

const LONGEST_RETRY_MS = 30_000;

/** A buffer of outgoing lines with a limited number of characters, one delivery at a time, that counts every lost line. */
export function openBuffer({ deliver, capacity, batch, lingerMs, retryMs }: BufferOptions): LineBuffer {
  const waiting: string[] = [];
  const waiters = new Set<() => void>();
  let size = 0;
  let lost = 0;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let closed = false;

  function take(): string[] {
    let count = 0;
    for (let length = 0; count < waiting.length && (count === 0 || length < batch); count += 1)
      length += waiting[count]?.length ?? 0;
    return waiting.slice(0, count);
  }

  function drop(lines: readonly string[]): void {
    waiting.splice(0, lines.length);
    for (const line of lines) size -= line.length;
    for (const tell of waiters) tell();
    waiters.clear();
  }

  async function hand(): Promise<void> {
    const lines = take();
    try {
      await deliver(lines);
      failures = 0;
      drop(lines);
    } catch (thrown) {
      if (thrown instanceof Refused) {
        lost += lines.length;
        drop(lines);
      } else failures += 1;
    }
    running = null;
    if (waiting.length > 0) plan(failures === 0 ? 0 : Math.min(retryMs * 2 ** (failures - 1), LONGEST_RETRY_MS));
  }

  function start(): void {
    timer = undefined;
    running ??= hand();
  }

  function plan(ms: number): void {
    if (timer === undefined && running === null) timer = setTimeout(start, ms);
  }

  async function finish(until: number): Promise<void> {
    while (waiting.length > 0 && performance.now() < until) {
      clearTimeout(timer);
      start();
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, until - performance.now()))]);
      if (failures > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(retryMs, 100)));
    }
  }

  return {
    add: (line) => {
      if (closed || size + line.length > capacity) {
        lost += 1;
        return;
      }
      waiting.push(line);
      size += line.length;
      plan(size >= batch && failures === 0 ? 0 : lingerMs);
    },
    whenSpace: async (ms) => {
      if (size < capacity * 0.9) return;
      await new Promise<void>((resolve) => {
        waiters.add(resolve);
        setTimeout(resolve, ms).unref();
      });
    },
    lost: () => lost,
    close: async (ms) => {
      closed = true;
      await finish(performance.now() + ms);
      clearTimeout(timer);
      lost += waiting.length;
      waiting.length = 0;
    },
  };
}
