/** The state of a question. `value`: the last answer; `isCurrent`: whether it is that to the last question. */
export interface Asked<T> {
  value: T | null;
  problem: unknown;
  isCurrent: boolean;
}

export interface TrierOptions<T> {
  send: (question: string, signal: AbortSignal) => Promise<T>;
  /** How long nothing is typed before it is asked, in ms. */
  debounceMs: number;
  tell: (asked: Asked<T>) => void;
  /** When to ask the same again after a problem and so many others before it, in ms; null if it does not pass on its own. */
  againMs: (problem: unknown, failures: number) => number | null;
}

export interface Trier {
  /** Asks soon; null asks nothing, and drops what is asked. */
  ask: (question: string | null) => void;
  /** Asks the same again now: what it is about has changed. */
  repeat: () => void;
  stop: () => void;
}

/**
 * Asks while someone types: at most one request is under way, the next one has the newest question, and an answer to an older
 * question is never shown as the current one. After a problem that passes, it asks the same again.
 */
export function createTrier<T>({ send, debounceMs, tell, againMs }: TrierOptions<T>): Trier {
  const abort = new AbortController();
  let wanted: string | null = null;
  /** Counts the questions, also repeated ones. */
  let newest = 0;
  let last: Asked<T> = { value: null, problem: null, isCurrent: true };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUnderWay = false;
  let failures = 0;

  const show = (next: Partial<Asked<T>>): void => {
    last = { ...last, ...next };
    if (!abort.signal.aborted) tell(last);
  };

  function runIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      void run();
    }, ms);
  }

  function fail(problem: unknown): void {
    show({ problem, isCurrent: true });
    const wait = againMs(problem, failures);
    failures += 1;
    if (wait !== null && !abort.signal.aborted) runIn(wait);
  }

  async function run(): Promise<void> {
    const [question, asked] = [wanted, newest];
    if (question === null || isUnderWay || abort.signal.aborted) return;
    isUnderWay = true;
    try {
      const value = await send(question, abort.signal);
      failures = 0;
      if (asked === newest) show({ value, problem: null, isCurrent: true });
    } catch (problem) {
      if (asked === newest) fail(problem);
    }
    isUnderWay = false;
    // The question changed meanwhile, and its pause is over.
    if (asked !== newest && timer === undefined) void run();
  }

  return {
    ask(question) {
      if (question === wanted) return;
      wanted = question;
      newest += 1;
      failures = 0;
      clearTimeout(timer);
      timer = undefined;
      show({ isCurrent: false });
      if (question !== null) runIn(debounceMs);
    },
    repeat() {
      if (wanted === null || abort.signal.aborted) return;
      newest += 1;
      show({ isCurrent: false });
      runIn(0);
    },
    stop() {
      clearTimeout(timer);
      abort.abort();
    },
  };
}
