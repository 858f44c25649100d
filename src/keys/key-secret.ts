import { below } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { createOnce } from "../cluster/create-once.ts";
import { secretsPath } from "../cluster/secrets-path.ts";
import type { Resource } from "../model/kubernetes.ts";
import { PART_OF_LANDFALL } from "../model/names.ts";
import { idOf, type KeyEntry, keysAmong, makeKey } from "./key-entries.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { hasStatus } from "../cluster/client/api-error.ts";

/** The Secret of the signing keys in Landfall's own namespace. */
const KEY_SECRET = "landfall-signing-keys";

/** The Secret's keys, as they were read. */
export interface StoredKeys {
  entries: KeyEntry[];
  resourceVersion: string;
}

export interface KeySecret {
  /** For messages. */
  where: string;
  /** Null if there is none. */
  read(): Promise<StoredKeys | null>;
  /** False if there is one already: only one process makes it. */
  create(entries: readonly KeyEntry[]): Promise<boolean>;
  /** A change by another client since it was read is a conflict (409). */
  replace(entries: readonly KeyEntry[], resourceVersion: string): Promise<void>;
}

const bytesOf = (value: unknown): Uint8Array => Buffer.from(typeof value === "string" ? value : "", "base64");

/** The Secret of the signing keys. */
export function openKeySecret(client: KubeClient, namespace: string): KeySecret {
  const collection = secretsPath(namespace);
  const path = below(collection, KEY_SECRET);
  const secretOf = (entries: readonly KeyEntry[], version: { resourceVersion?: string } = {}) => ({
    ...{ apiVersion: "v1", kind: "Secret", type: "landfall.dev/signing-keys" },
    metadata: { name: KEY_SECRET, namespace, labels: PART_OF_LANDFALL, ...version },
    data: Object.fromEntries(entries.map(({ name, bytes }) => [name, Buffer.from(bytes).toString("base64")])),
  });
  return {
    where: `${namespace}/${KEY_SECRET}`,
    async read() {
      const secret = await client.get<Resource>(path);
      if (secret === null) return null;
      const entries = Object.entries(secret.data ?? {}).map(([name, value]) => ({ name, bytes: bytesOf(value) }));
      return { entries, resourceVersion: secret.metadata.resourceVersion ?? "" };
    },
    create: (entries) => createOnce(client, collection, secretOf(entries)),
    replace: async (entries, resourceVersion) => {
      await client.replace(path, secretOf(entries, { resourceVersion }));
    },
  };
}

/** The webhook makes the Secret when it starts, which may be at the same time. */
const MINUTE = { tries: 120, everyMs: 500 } as const;

/** Waits for the Secret of the signing keys, a minute if not said otherwise. */
export async function awaitKeySecret(
  secret: KeySecret,
  log: Pick<Logger, "info">,
  { tries: most, everyMs }: { tries: number; everyMs: number } = MINUTE,
): Promise<void> {
  for (let tries = 0; tries < most && (await secret.read()) === null; tries += 1) {
    if (tries === 2) log.info({ secret: secret.where }, "waits for a webhook to write the signing keys");
    await sleep(everyMs);
  }
}

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
