import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { retryConflicts } from "../../cluster/retry-conflicts.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { bootKey, type ObservedBoot, type ObservedBoots, withBoot } from "../../model/places/boot-times.ts";
import { BOOT_RECORD, bootRecordMetadata, readBootRecord } from "../../model/runs/boot-record.ts";
import type { Resource } from "../types.ts";

/** The observed boot times, in Landfall's own namespace: admission reads them there. */
export interface Boots {
  /** Records that something of this provider, kind and namespace was ready `seconds` after its start. */
  observe(provider: string, kind: string, boot: ObservedBoot): Promise<void>;
  /** The boot times that this process has read or recorded, for metrics. */
  known(): ObservedBoots;
}

/** A longer time says more of an operator that was unavailable than of a boot. */
const MOST_SECONDS = 3600;

export function openBoots(client: KubeClient, systemNamespace: string): Boots {
  const collection = secretsPath(systemNamespace);
  let known: ObservedBoots = {};

  async function write(key: string, boot: ObservedBoot): Promise<void> {
    const stored = await client.get<Resource>(below(collection, BOOT_RECORD));
    const next = withBoot((stored && readBootRecord(stored)) ?? {}, key, boot);
    const { resourceVersion } = stored?.metadata ?? {};
    const metadata = {
      ...{ ...bootRecordMetadata(next), namespace: systemNamespace },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const secret = { apiVersion: "v1", kind: "Secret", type: "landfall.dev/boot-times", metadata };
    if (stored === null) await client.create<Resource>(collection, secret);
    else await client.replace<Resource>(below(collection, BOOT_RECORD), secret);
    known = next;
  }

  return {
    known: () => known,
    async observe(provider, kind, { namespace, seconds }) {
      if (seconds <= 0 || seconds > MOST_SECONDS) return;
      await retryConflicts(() => write(bootKey(provider, kind), { namespace, seconds: Math.ceil(seconds) }));
    },
  };
}
