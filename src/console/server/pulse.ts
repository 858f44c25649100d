import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { messageOf } from "../../errors.ts";
import { problemOf } from "./problem-of.ts";

/** Gets why the API server does not answer; null once it does. Called only when that changes. */
export type Heard = (away: string | null) => void;

/** Whether the API server answers, asked as long as someone listens: a watch of one that hangs is silent for minutes. */
export interface Pulse {
  /** Calls `heard` until the function that it returns is called. */
  listen(heard: Heard): () => void;
}

/** Between two questions, and for how long an answer is awaited, in ms: together, a page says within ten seconds that nothing answers. */
const TIMES = { every: 4000, most: 5000 } as const;

/** Asks the API server for its version again and again. A refusal is an answer. */
export function createPulse(client: KubeClient, { every, most }: { every: number; most: number } = TIMES): Pulse {
  const listeners = new Set<Heard>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;
  let away: string | null = null;

  function tell(now: string | null): void {
    const changed = (now === null) !== (away === null);
    away = now;
    if (changed) for (const heard of listeners) heard(now);
  }

  async function ask(): Promise<string | null> {
    const late = new AbortController();
    const limit = setTimeout(() => {
      late.abort(new Error(`it did not answer within ${String(most / 1000)} s`));
    }, most);
    try {
      await client.get(apiPath`/version`, { signal: late.signal });
      return null;
    } catch (thrown) {
      return problemOf(thrown).problem.kind === "away" ? messageOf(thrown) : null;
    } finally {
      clearTimeout(limit);
    }
  }

  async function beat(): Promise<void> {
    // A page that leaves and comes back while a question is open waits for its answer.
    if (isAsking) return;
    isAsking = true;
    tell(await ask());
    isAsking = false;
    timer = listeners.size === 0 ? undefined : setTimeout(() => void beat(), every);
    timer?.unref();
  }

  return {
    listen(heard) {
      listeners.add(heard);
      if (away !== null) heard(away);
      if (listeners.size === 1 && timer === undefined) void beat();
      return () => {
        listeners.delete(heard);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
  };
}
