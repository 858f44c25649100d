import { setTimeout as sleep } from "node:timers/promises";
import { LandfallError } from "../../errors.ts";

const EVERY_MS = 40;

export interface Wait {
  /** What is waited for, for the error message. */
  what: string;
  seconds: number;
  /** The log that the error message names. */
  log: string;
}

/** Calls `probe` until it returns true; a probe that throws counts as false. Errors: LOCAL_NOT_READY. */
export async function waitUntil(wait: Wait, probe: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + wait.seconds * 1000;
  while (!(await probe().catch(() => false))) {
    if (Date.now() > end)
      throw new LandfallError("LOCAL_NOT_READY", { process: wait.what, seconds: wait.seconds, log: wait.log });
    await sleep(EVERY_MS);
  }
}
