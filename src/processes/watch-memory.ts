import { readFile } from "node:fs/promises";

/** Helm's memory grows by about 30 MB in this time, if a template makes it grow as fast as it can. */
const INTERVAL_MS = 100;

/** Bytes of a process's memory, and of what was swapped out; 0 where the system does not say. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, "utf8").catch(() => "");
  const kilobytes = [...status.matchAll(/^Vm(?:RSS|Swap):\s{1,20}(\d{1,20}) kB$/gm)].map(([, value]) => Number(value));
  return kilobytes.reduce((sum, value) => sum + value, 0) * 1024;
}

/** Calls `onExceeded` once if a process takes more memory than `limit`. The result ends that. Only Linux says how much it takes. */
export function watchMemory(pid: number, limit: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    void memoryOf(pid).then((bytes) => {
      if (bytes > limit && !ended) {
        end();
        onExceeded();
      }
    });
  }, INTERVAL_MS);
  let ended = false;
  const end = (): void => {
    ended = true;
    clearInterval(timer);
  };
  return end;
}
