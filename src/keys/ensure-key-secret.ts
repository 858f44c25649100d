import { hasStatus } from "../cluster/client/api-error.ts";
import { type KeyEntry, idOf, keysAmong, makeKey } from "./key-entries.ts";
import type { KeySecret } from "./key-secret.ts";

/**
 * Makes the Secret of the signing keys if there is none, with the key of version 0.1.0 or a new one. A Secret that is there
 * stays, also an empty one; it gets the key of version 0.1.0 if it lacks it. Throws ADM_SIGNING_KEY and REL_API….
 */
export async function ensureKeySecret(secret: KeySecret, first: KeyEntry | null, nowSeconds: number): Promise<void> {
  if (first !== null) keysAmong([first], "of version 0.1.0", "ADM_SIGNING_KEY");
  if ((await secret.read()) === null && (await secret.create([first ?? makeKey(nowSeconds)]))) return;
  const stored = await secret.read();
  if (first === null || stored === null) return;
  const keys = keysAmong(stored.entries, secret.where, "ADM_SIGNING_KEY");
  if (keys.some((key) => idOf(key) === idOf(first))) return;
  try {
    await secret.replace([...stored.entries, first], stored.resourceVersion);
  } catch (thrown) {
    // Another replica imports the same key.
    if (!hasStatus(thrown, 409)) throw thrown;
  }
}
