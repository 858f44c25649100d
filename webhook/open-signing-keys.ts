import type { FastifyBaseLogger } from "fastify";
import { below, versionPath } from "../src/cluster/api-path.ts";
import type { KubeClient } from "../src/cluster/client/create-client.ts";
import { messageOf } from "../src/errors.ts";
import type { WebhookFlags } from "../src/flags/webhook-options.ts";
import { keepKeySecret } from "../src/keys/keep-key-secret.ts";
import { awaitKeySecret, ensureKeySecret, type KeySecret, openKeySecret } from "../src/keys/key-secret.ts";
import { ensureKeyFile, readFirstKey, readKeyFiles } from "../src/keys/key-files.ts";
import { type Keys, openKeys } from "../src/keys/open-keys.ts";
import { WEBHOOK } from "../src/model/names.ts";
import { nowSeconds } from "../src/model/time.ts";
import { ADMISSION_API } from "./registration/register.ts";
import type { WebhookParts } from "./webhook-parts.ts";

interface Surroundings extends Pick<WebhookParts, "recordEvent"> {
  client: KubeClient;
  logger: FastifyBaseLogger;
  /** Milliseconds between two readings; for tests. */
  everyMs?: number;
}

/** Waits where a webhook is registered: it may run, and puts a deleted Secret back at its next reading. A new key in between would replace its keys. */
async function awaitRestored(
  secret: KeySecret,
  { client, logger, everyMs }: Surroundings & { everyMs: number },
): Promise<void> {
  const path = below(versionPath(ADMISSION_API), "mutatingwebhookconfigurations", WEBHOOK.placement);
  if ((await secret.read()) !== null || (await client.get(path)) === null) return;
  // A fifth longer than the time between two readings.
  await awaitKeySecret(secret, logger, { tries: 12, everyMs: everyMs / 10 });
}

/** The keys of a folder, or of the Secret, which the first webhook makes. Throws ADM_SIGNING_KEY and REL_API…. */
export async function openSigningKeys(flags: WebhookFlags, surroundings: Surroundings): Promise<Keys> {
  const { signingKeys: folder, dataDir, systemNamespace } = flags;
  const { client, logger, recordEvent, everyMs = 5000 } = surroundings;
  const code = "ADM_SIGNING_KEY";
  const onFailure = (thrown: unknown): void => {
    logger.warn({ detail: messageOf(thrown) }, "the signing keys cannot be read again; the known ones stay in use");
  };
  if (folder !== undefined) {
    await ensureKeyFile(folder);
    return openKeys({ read: () => readKeyFiles(folder, code), where: folder, code, nowSeconds, onFailure });
  }
  const secret = openKeySecret(client, systemNamespace);
  await awaitRestored(secret, { ...surroundings, everyMs });
  await ensureKeySecret(secret, await readFirstKey(dataDir), nowSeconds());
  const read = keepKeySecret(secret, () => {
    const message = `Secret ${secret.where} was deleted; it has the known keys again`;
    logger.warn({ secret: secret.where }, "the Secret of the signing keys was deleted, and was put back");
    recordEvent({ type: "Warning", reason: "SigningKeysRestored", message });
  });
  return openKeys({ read, where: secret.where, code, nowSeconds, onFailure, everyMs });
}
