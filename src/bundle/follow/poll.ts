/** The timing of polls. */
export interface PollOptions {
  seconds: number;
  /** Relative jitter of the pause, so that replicas do not poll at the same time. */
  jitter: number;
  /** 0 to 1 */
  random: () => number;
}

/** The result of a poll: `busy` is the pause that the registry asks for, in seconds; at most five minutes count. */
export interface PollOutcome {
  ok: boolean;
  busy?: number;
}

const FIRST_RETRY_MS = 500;
/** The longest pause that an answer can ask for: an answer must not end the updates. */
const BUSY_LIMIT_MS = 300_000;

/** The pause before the next poll, in ms: after failures it grows from half a second to the usual one. */
export function pauseMs({ seconds, jitter, random }: PollOptions, failures: number, busy = 0): number {
  const usual = seconds * 1000;
  const wanted = failures === 0 ? usual : Math.min(usual, FIRST_RETRY_MS * 2 ** (failures - 1));
  const spread = 1 + jitter * (2 * random() - 1);
  return Math.max(wanted * spread, Math.min(busy * 1000, BUSY_LIMIT_MS));
}

export interface Poller {
  /** Polls now, or again after a running poll. Resolves when that has ended. */
  now(): Promise<void>;
  stop(): void;
}

/** Calls `poll` repeatedly, one call at a time, until it is stopped; without options only when asked. `poll` never throws. */
export function startPolling(options: PollOptions | null, poll: () => Promise<PollOutcome>): Poller {
  let timer: NodeJS.Timeout | undefined;
  let underway: Promise<void> | null = null;
  let queued: Promise<void> | null = null;
  let failures = 0;
  let stopped = false;

  async function run(): Promise<void> {
    clearTimeout(timer);
    const { ok, busy } = await poll();
    failures = ok ? 0 : failures + 1;
    underway = null;
    if (!stopped && options !== null) timer = setTimeout(() => void begin(), pauseMs(options, failures, busy));
  }

  function begin(): Promise<void> {
    underway ??= run();
    return underway;
  }

  async function again(running: Promise<void>): Promise<void> {
    await running;
    queued = null;
    if (!stopped) await begin();
  }

  if (options !== null) void begin();
  return {
    now: () => {
      if (underway === null) return begin();
      queued ??= again(underway);
      return queued;
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
