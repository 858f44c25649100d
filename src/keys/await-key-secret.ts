import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { KeySecret } from "./key-secret.ts";

/** The webhook makes the Secret when it starts, which may be at the same time. */
const [TRIES, EVERY_MS] = [120, 500] as const;

/** Waits a minute for the Secret of the signing keys. */
export async function awaitKeySecret(secret: KeySecret, log: Pick<Logger, "info">): Promise<void> {
  for (let tries = 0; tries < TRIES && (await secret.read()) === null; tries += 1) {
    if (tries === 2) log.info({ secret: secret.where }, "waits for the webhook to make the signing keys");
    await sleep(EVERY_MS);
  }
}
