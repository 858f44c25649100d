import type { LoadedBundle } from "../src/policy/loaded-bundle.ts";
import { LandfallError, messageOf } from "../src/errors.ts";

/** The first retry waits this long, each further one twice as long. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

export interface PolicyHolder {
  active(): LoadedBundle | null;
  /** Why the last try failed; null after a success. */
  lastError(): string | null;
  stop(): void;
}

/** Loads the bundle, and tries again with growing pauses until that works: a webhook without a policy is up, but not ready. */
export function holdPolicy(
  load: () => Promise<LoadedBundle>,
  onEvent: (event: string, detail: string) => void,
): PolicyHolder {
  let active: LoadedBundle | null = null;
  let lastError: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const attempt = async (pause: number): Promise<void> => {
    try {
      active = await load();
      lastError = null;
      onEvent("bundle loaded", active.digest);
    } catch (thrown) {
      lastError = thrown instanceof LandfallError ? thrown.line : messageOf(thrown);
      onEvent("bundle not loaded", lastError);
      if (!stopped) timer = setTimeout(() => void attempt(Math.min(pause * 2, LONGEST_RETRY_MS)), pause);
    }
  };
  void attempt(FIRST_RETRY_MS);
  return {
    active: () => active,
    lastError: () => lastError,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
