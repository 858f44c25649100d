import { setTimeout as sleep } from "node:timers/promises";

/** Resolves when `work` has ended, and after `ms` at the latest. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  const patience = new AbortController();
  const { signal } = patience;
  await Promise.race([work, sleep(ms, undefined, { signal }).catch(() => undefined)]);
  patience.abort();
}
