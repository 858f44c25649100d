import { LandfallError, messageOf } from "../src/errors.ts";
import type { ClusterEvent } from "../src/facts/cluster-facts.ts";
import type { BundleIdentity } from "./decisions/messages.ts";
import type { DecisionThread } from "./decisions/start-thread.ts";

/** The first retry waits this long, each further one twice as long. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** A bundle's bytes and where they came from. */
export interface Tarball {
  bytes: Uint8Array;
  ref: string;
}

export interface PolicyHolder {
  /** The thread that answers now; null before the first bundle is loaded. */
  thread(): DecisionThread | null;
  bundle(): BundleIdentity | null;
  /** Why the last try failed; null after a success. */
  lastError(): string | null;
  /** Passes a fact on to every thread, those that still load included. */
  tell(event: ClusterEvent): void;
  stop(): Promise<void>;
}

export interface HolderOptions {
  load: () => Promise<Tarball>;
  start: (tarball: Tarball) => DecisionThread;
  onEvent: (event: string, detail: string) => void;
}

interface Active {
  thread: DecisionThread;
  bundle: BundleIdentity;
}

const lineOf = (thrown: unknown): string => (thrown instanceof LandfallError ? thrown.line : messageOf(thrown));

/**
 * Loads the bundle into a thread, and tries again with growing pauses until that works: a webhook without a policy is up,
 * but not ready. A thread that ends is started again.
 */
export function holdPolicy({ load, start, onEvent }: HolderOptions): PolicyHolder {
  const threads = new Set<DecisionThread>();
  let active: Active | null = null;
  let lastError: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function watch(thread: DecisionThread): void {
    void thread.ended.then((error) => {
      threads.delete(thread);
      if (active?.thread !== thread || stopped) return;
      active = null;
      onEvent("the thread that decides ended and is started again", error.line);
      void attempt(FIRST_RETRY_MS);
    });
  }

  async function open(): Promise<Active> {
    const thread = start(await load());
    threads.add(thread);
    watch(thread);
    return { thread, bundle: await thread.ready };
  }

  async function attempt(pause: number): Promise<void> {
    try {
      active = await open();
      lastError = null;
      onEvent("bundle loaded", active.bundle.digest);
    } catch (thrown) {
      lastError = lineOf(thrown);
      onEvent("bundle not loaded", lastError);
      if (!stopped) timer = setTimeout(() => void attempt(Math.min(pause * 2, LONGEST_RETRY_MS)), pause);
    }
  }

  void attempt(FIRST_RETRY_MS);
  return {
    thread: () => active?.thread ?? null,
    bundle: () => active?.bundle ?? null,
    lastError: () => lastError,
    tell: (event) => {
      for (const thread of threads) thread.tell(event);
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await Promise.all([...threads].map((thread) => thread.stop()));
    },
  };
}
