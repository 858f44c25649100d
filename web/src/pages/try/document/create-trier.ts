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
}

export interface Trier {
  /** Asks soon; null asks nothing, and drops what is asked. */
  ask: (question: string | null) => void;
  stop: () => void;
}

/**
 * Asks while someone types: at most one request is under way, the next one has the newest question, and an answer to an older
 * question is never shown as the current one.
 */
export function createTrier<T>({ send, debounceMs, tell }: TrierOptions<T>): Trier {
  const abort = new AbortController();
  let wanted: string | null = null;
  let last: Asked<T> = { value: null, problem: null, isCurrent: true };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUnderWay = false;

  const show = (next: Partial<Asked<T>>): void => {
    last = { ...last, ...next };
    if (!abort.signal.aborted) tell(last);
  };

  async function run(): Promise<void> {
    const question = wanted;
    if (question === null || isUnderWay || abort.signal.aborted) return;
    isUnderWay = true;
    try {
      const value = await send(question, abort.signal);
      if (question === wanted) show({ value, problem: null, isCurrent: true });
    } catch (problem) {
      if (question === wanted) show({ problem, isCurrent: true });
    }
    isUnderWay = false;
    // The question changed meanwhile, and its pause is over.
    if (question !== wanted && timer === undefined) void run();
  }

  return {
    ask(question) {
      if (question === wanted) return;
      wanted = question;
      clearTimeout(timer);
      timer = undefined;
      show({ isCurrent: false });
      if (question === null) return;
      timer = setTimeout(() => {
        timer = undefined;
        void run();
      }, debounceMs);
    },
    stop() {
      clearTimeout(timer);
      abort.abort();
    },
  };
}
