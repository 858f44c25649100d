import { setTimeout as sleep } from "node:timers/promises";
import { LandfallError } from "../../errors.ts";

const EVERY_MS = 40;

export interface Wait {
  /** The awaited event, for the error message. */
  what: string;
  seconds: number;
  /** The log that the error message names. */
  log: string;
}

/** The last answer of `check`: null as soon as it gives it, anything else after so many seconds. */
export async function untilNull<T>(
  seconds: number,
  check: () => Promise<T | null>,
  everyMs = EVERY_MS,
): Promise<T | null> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await check();
    if (answer === null || Date.now() > end) return answer;
    await sleep(everyMs);
  }
}

/** Calls `probe` until it returns true; a probe that throws counts as false. Errors: LOCAL_NOT_READY. */
export async function waitUntil(wait: Wait, probe: () => Promise<boolean>): Promise<void> {
  const { what, seconds, log } = wait;
  const missing = await untilNull(seconds, async () => ((await probe().catch(() => false)) ? null : what));
  if (missing !== null) throw new LandfallError("LOCAL_NOT_READY", { process: what, seconds, log });
}
