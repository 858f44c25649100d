import { open, rm, stat, utimes } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const BEAT_MS = 1_000;
/** A lock that no one touched for this long belongs to a process that was killed. */
const STALE_MS = 10_000;

async function take(file: string): Promise<boolean> {
  try {
    await (await open(file, "wx")).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const held = await stat(file).catch(() => null);
    if (held && Date.now() - held.mtimeMs > STALE_MS) await rm(file, { force: true });
    return false;
  }
}

/**
 * Runs `work` while this process holds the lock file; `onWait` is called once if another process holds it.
 * Two waiters may both break a stale lock: the work must be harmless when done twice.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait: () => void): Promise<T> {
  for (let waited = false; !(await take(file)); waited = true) {
    if (!waited) onWait();
    await sleep(BEAT_MS / 4);
  }
  const beat = setInterval(() => {
    const now = new Date();
    void utimes(file, now, now).catch(() => undefined);
  }, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(file, { force: true });
  }
}
