import pLimit from "p-limit";
import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createOnce } from "../../cluster/create-once.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import {
  type Binding,
  bindingMetadata,
  bindingName,
  readBinding,
} from "../../model/decision-annotation/system-secrets.ts";
import { BINDING_SECONDS } from "../../model/decision-annotation/standing.ts";
import { LANDFALL_SECRETS, PART_OF_LANDFALL } from "../../model/names.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { parseTime } from "../../model/time.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";

/** Which object each decision counts for: a Secret for each in Landfall's own namespace, where tenants cannot write. */
export interface Bindings {
  /** Null if the decision is bound to no object. */
  ownerOf(id: string): Promise<string | null>;
  /** Binds a decision to the object with this uid, unless it is bound already. Returns the uid that it is bound to. */
  bind(binding: Binding): Promise<string>;
  /** Binds a decision to another object: the one that it was bound to is gone. */
  rebind(binding: Binding): Promise<void>;
  /** When the latest decision for the object with this uid was signed, in seconds since 1970; 0 if none was noted. */
  latestOf(uid: string): Promise<number>;
  /** Notes when a decision for the object with this uid was signed, unless a later one is noted. */
  note(uid: string, signedAt: number): Promise<void>;
  /** Objects that were created later, in seconds since 1970, cannot have a decision of an earlier version of Landfall. */
  legacyUntil(): Promise<number>;
  /**
   * Removes the bindings of decisions that can no longer be bound, unless `isNeeded` names them: of those that this process made, or of `all` that are
   * stored. Returns how many.
   */
  sweep(isNeeded: (binding: Binding) => boolean, of: "own" | "all"): Promise<number>;
}

export interface BindingOptions {
  client: KubeClient;
  systemNamespace: string;
  /** Seconds since 1970. */
  nowSeconds: () => number;
}

/** Its time of creation tells when a controller of this version ran first. */
const FIRST_START = "landfall.first-start";
/** During an upgrade, a webhook of the earlier version may still run for so many seconds. */
const UPGRADE_SECONDS = 3600;
/** An object with a decision is created within BINDING_SECONDS of its signing; the clocks of those who compare may differ by as much. */
const SETTLED_SECONDS = 2 * BINDING_SECONDS;
/** Secrets that are removed at the same time. */
const REMOVED_TOGETHER = 8;
const TYPE = "landfall.dev/decision-binding";

const createdAt = ({ metadata }: Resource): number => parseTime(metadata.creationTimestamp ?? "") ?? Infinity;

const timeIn = (binding: Binding | null): [id: string, signedAt: number][] =>
  binding?.signedAt === undefined ? [] : [[binding.id, binding.signedAt]];

/** Opens the bindings. The API server's unique names let only one object have a decision, whichever controller asks first. */
export function openBindings({ client, systemNamespace, nowSeconds }: BindingOptions): Bindings {
  const collection = secretsPath(systemNamespace);
  const known = new Map<string, string>();
  /** When this process made a binding, in seconds since 1970: users who create and delete objects all the time make many. */
  const made = new Map<string, number>();
  let legacyUntil: number | null = null;
  let latest: Promise<Map<string, number>> | null = null;

  const secretOf = (binding: Binding, resourceVersion?: string) => ({
    ...{ apiVersion: "v1", kind: "Secret", type: TYPE },
    metadata: { ...bindingMetadata(binding), namespace: systemNamespace, ...(resourceVersion && { resourceVersion }) },
  });

  async function ownerOf(id: string): Promise<string | null> {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const secret = await client.get<Resource>(below(collection, bindingName(id)));
    const binding = secret === null ? null : readBinding(secret);
    if (binding !== null) known.set(id, binding.uid);
    return binding?.uid ?? null;
  }

  async function list(): Promise<Resource[]> {
    return (await listObjects(client, collection, { labels: LANDFALL_SECRETS, metadataOnly: true })).items;
  }

  /** All of them are read once: most objects have none. */
  function noted(): Promise<Map<string, number>> {
    latest ??= list()
      .then((items) => new Map(items.flatMap((secret) => timeIn(readBinding(secret)))))
      .catch((thrown: unknown) => {
        latest = null;
        throw thrown;
      });
    return latest;
  }

  async function untilLegacy(): Promise<number> {
    if (legacyUntil !== null) return legacyUntil;
    const metadata = { name: FIRST_START, namespace: systemNamespace, labels: PART_OF_LANDFALL };
    const secretOfStart = { apiVersion: "v1", kind: "Secret", type: "landfall.dev/first-start", metadata };
    await createOnce(client, collection, secretOfStart);
    const secret = await client.get<Resource>(below(collection, FIRST_START));
    legacyUntil = (secret === null ? nowSeconds() : createdAt(secret)) + UPGRADE_SECONDS;
    return legacyUntil;
  }

  /** All that are stored, with the times at which they were made. */
  async function listed(): Promise<[binding: Binding, at: number][]> {
    return (await list()).flatMap((secret): [Binding, number][] => {
      const binding = readBinding(secret);
      return binding === null ? [] : [[binding, createdAt(secret)]];
    });
  }

  const own = (): [binding: Binding, at: number][] =>
    [...made].map(([id, at]) => [{ id, uid: known.get(id) ?? "" }, at]);

  async function remove({ id }: Binding): Promise<void> {
    await client.remove(below(collection, bindingName(id)));
    known.delete(id);
    made.delete(id);
    (await latest)?.delete(id);
  }

  return {
    ownerOf,
    legacyUntil: untilLegacy,
    latestOf: async (uid) => (await noted()).get(uid.toLowerCase()) ?? 0,
    async note(uid, signedAt) {
      const times = await noted();
      if ((times.get(uid.toLowerCase()) ?? 0) >= signedAt) return;
      const path = below(collection, bindingName(uid));
      const present = await client.get<Resource>(path);
      const before = present === null ? 0 : (readBinding(present)?.signedAt ?? 0);
      const binding = { id: uid, uid, signedAt };
      if (present === null) await client.create(collection, secretOf(binding));
      else if (before < signedAt) await client.replace(path, secretOf(binding, present.metadata.resourceVersion));
      times.set(uid.toLowerCase(), Math.max(before, signedAt));
      known.set(uid, uid);
      made.set(uid, nowSeconds());
    },
    async bind(binding) {
      const cached = known.get(binding.id);
      if (cached !== undefined) return cached;
      const isMine = await createOnce(client, collection, secretOf(binding));
      if (isMine) {
        known.set(binding.id, binding.uid);
        made.set(binding.id, nowSeconds());
      }
      return isMine ? binding.uid : ((await ownerOf(binding.id)) ?? "");
    },
    async rebind(binding) {
      const path = below(collection, bindingName(binding.id));
      const present = await client.get<Resource>(path);
      if (present === null) await client.create(collection, secretOf(binding));
      else await client.replace(path, secretOf(binding, present.metadata.resourceVersion));
      known.set(binding.id, binding.uid);
    },
    async sweep(isNeeded, of) {
      const now = nowSeconds();
      // A copy of an object from before can be bound for as long.
      const settled = now - (now < (await untilLegacy()) ? UPGRADE_SECONDS : SETTLED_SECONDS);
      const found = of === "own" ? own() : await listed();
      const old = found.flatMap(([binding, at]) => (at > settled || isNeeded(binding) ? [] : [binding]));
      const limit = pLimit(REMOVED_TOGETHER);
      await Promise.all(old.map((binding) => limit(remove, binding)));
      return old.length;
    },
  };
}
