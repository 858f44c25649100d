import { useSyncExternalStore } from "react";

/** How often relative times are written again, in ms. */
const EVERY_MS = 30_000;

let now = new Date();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = new Date();
    for (const one of listeners) one();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, one clock for the whole page. */
export const useNow = (): Date =>
  useSyncExternalStore(
    subscribe,
    () => now,
    () => now,
  );
