import { below } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { createOnce } from "../cluster/create-once.ts";
import { secretsPath } from "../cluster/secrets-path.ts";
import type { Resource } from "../model/kubernetes.ts";
import { PART_OF_LANDFALL } from "../model/decision-annotation/system-secrets.ts";
import type { KeyEntry } from "./key-entries.ts";

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
