import { hasStatus } from "../cluster/client/api-error.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { type KeyRing, ringOf } from "../model/decision-annotation/key-ring.ts";
import { keysAmong } from "./key-entries.ts";
import { openKeySecret } from "./key-secret.ts";

/** The signing keys that the user can read, or why they cannot. They never leave this process. Throws REL_API…, ADM_SIGNING_KEY. */
export async function readRing(client: KubeClient, systemNamespace: string): Promise<KeyRing | string> {
  const secret = openKeySecret(client, systemNamespace);
  try {
    const stored = await secret.read();
    if (stored === null) return `there is no Secret ${secret.where}`;
    const [newest, ...older] = keysAmong(stored.entries, secret.where, "ADM_SIGNING_KEY");
    return ringOf(newest.bytes, ...older.map(({ bytes }) => bytes));
  } catch (thrown) {
    if (hasStatus(thrown, 403)) return `you cannot read the Secret ${secret.where}`;
    throw thrown;
  }
}
