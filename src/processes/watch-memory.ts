import { readFileSync } from "node:fs";

/** Helm's memory grows by about 30 MB in this time, if a template makes it grow as fast as it can. */
const INTERVAL_MS = 100;

/** Null if there is no such process, or no such file. */
function statusOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${String(pid)}/status`, "utf8");
  } catch {
    return null;
  }
}

/**
 * Bytes of a process's memory, and of what was swapped out; 0 where the system does not say. The system makes this file in memory: reading it
 * directly takes 15 µs, and waiting for a thread that reads it 110 µs.
 */
export function memoryOf(pid: number): number {
  const status = statusOf(pid) ?? "";
  const kilobytes = [...status.matchAll(/^Vm(?:RSS|Swap):\s{1,20}(\d{1,20}) kB$/gm)].map(([, value]) => Number(value));
  return kilobytes.reduce((sum, value) => sum + value, 0) * 1024;
}

/** Calls `onExceeded` once if a process takes more memory than `limit`. The result ends that. Only Linux says how much it takes. */
export function watchMemory(pid: number, limit: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if (memoryOf(pid) <= limit) return;
    end();
    onExceeded();
  }, INTERVAL_MS);
  const end = (): void => {
    clearInterval(timer);
  };
  return end;
}
