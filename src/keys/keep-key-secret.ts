import { type KeyEntry, keysAmong } from "./key-entries.ts";
import type { KeySecret } from "./key-secret.ts";

/**
 * Reads the keys of the Secret, again and again. One that was deleted is put back as it was read last: otherwise the next webhook that starts
 * would make a new key, by which no earlier decision is valid. A Secret that someone emptied stays empty. Throws ADM_SIGNING_KEY and REL_API….
 */
export function keepKeySecret(secret: KeySecret, onRestored: () => void): () => Promise<KeyEntry[] | null> {
  let known: KeyEntry[] | null = null;
  return async () => {
    let stored = await secret.read();
    if (stored === null && known !== null) {
      if (await secret.create(known)) onRestored();
      stored = await secret.read();
    }
    if (stored === null) return null;
    keysAmong(stored.entries, secret.where, "ADM_SIGNING_KEY");
    known = stored.entries;
    return known;
  };
}
