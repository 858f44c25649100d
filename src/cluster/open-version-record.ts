import { setTimeout as sleep } from "node:timers/promises";
import { LandfallError, messageOf } from "../errors.ts";
import { type Highest, parseHighest, type VersionRecord } from "../model/bundle-format/highest-version.ts";
import { PART_OF_LANDFALL } from "../model/names.ts";
import type { Resource } from "../model/kubernetes.ts";
import { sha256 } from "../model/sha256.ts";
import { below } from "./api-path.ts";
import { hasStatus } from "./client/api-error.ts";
import type { KubeClient } from "./client/create-client.ts";
import { createOnce } from "./create-once.ts";
import { secretsPath } from "./secrets-path.ts";

/** The Secret of the highest bundle versions in Landfall's own namespace. */
const VERSION_SECRET = "landfall-bundle-versions";

/** Replicas that start together write at the same time. */
const TRIES = 10;
const PAUSE_MS = 50;

const keyOf = (ref: string): string => sha256(ref).slice(0, 32);

/** Throws for an entry that is not intact: it could have been any version. */
function entryOf(secret: Resource | null, ref: string): Highest | null {
  const entry: unknown = secret?.data?.[keyOf(ref)];
  if (typeof entry !== "string") return null;
  const highest = parseHighest(JSON.parse(Buffer.from(entry, "base64").toString()), ref);
  if (highest !== null) return highest;
  throw new RangeError(`key ${keyOf(ref)} does not hold a version of this bundle`);
}

const isHigher = (one: Highest, other: Highest | null): boolean => other === null || one.version > other.version;

/** Null for an entry that is not intact: who knows a version replaces it. */
function intactEntry(secret: Resource | null, ref: string): Highest | null {
  try {
    return entryOf(secret, ref);
  } catch {
    return null;
  }
}

/** Opens the Secret with the highest version of each bundle, which all replicas read and raise. */
export function openVersionRecord(client: KubeClient, namespace: string): VersionRecord {
  const collection = secretsPath(namespace);
  const path = below(collection, VERSION_SECRET);

  /** False if another process wrote first. */
  async function write(found: Resource | null, ref: string, highest: Highest): Promise<boolean> {
    const text = Buffer.from(JSON.stringify({ ref, ...highest })).toString("base64");
    const about = { apiVersion: "v1", kind: "Secret", type: "landfall.dev/bundle-versions" };
    const metadata = { name: VERSION_SECRET, namespace, labels: PART_OF_LANDFALL };
    if (found === null) return createOnce(client, collection, { ...about, metadata, data: { [keyOf(ref)]: text } });
    const { resourceVersion = "" } = found.metadata;
    const data = { ...found.data, [keyOf(ref)]: text };
    return client.replace(path, { ...about, metadata: { ...metadata, resourceVersion }, data }).then(
      () => true,
      (thrown: unknown) => {
        // Another process wrote or deleted it since it was read.
        if (hasStatus(thrown, 409) || hasStatus(thrown, 404)) return false;
        throw thrown;
      },
    );
  }

  async function raise(ref: string, highest: Highest): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await client.get<Resource>(path);
      if (!isHigher(highest, intactEntry(found, ref)) || (await write(found, ref, highest))) return;
      await sleep(PAUSE_MS * Math.random() * (tries + 1));
    }
    throw new RangeError("other processes write it all the time");
  }

  async function failing<T>(ref: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      throw new LandfallError("BUNDLE_RECORD", { ref, detail: messageOf(thrown) }, thrown);
    }
  }

  return {
    read: (ref) =>
      failing(
        ref,
        client.get<Resource>(path).then((secret) => entryOf(secret, ref)),
      ),
    raise: (ref, highest) => failing(ref, raise(ref, highest)),
  };
}
