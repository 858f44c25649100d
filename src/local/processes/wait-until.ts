import { setTimeout as sleep } from "node:timers/promises";
import { LandfallError } from "../../errors.ts";

const EVERY_MS = 40;

export interface Wait {
  /** What is waited for, as the error names it. */
  what: string;
  seconds: number;
  /** Where to look when it does not come. */
  log: string;
}

/** Asks `probe` until it answers true; a probe that throws counts as false. Errors: LOCAL_NOT_READY. */
export async function waitUntil(wait: Wait, probe: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + wait.seconds * 1000;
  while (!(await probe().catch(() => false))) {
    if (Date.now() > end)
      throw new LandfallError("LOCAL_NOT_READY", { process: wait.what, seconds: wait.seconds, log: wait.log });
    await sleep(EVERY_MS);
  }
}
