import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Logger } from "pino";
import { LandfallError } from "../../errors.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { below } from "../../cluster/api-path.ts";
import { METADATA_LIST } from "../../cluster/list-metadata.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { namesObjects } from "../claims/claimed-objects.ts";
import { type Claim, openClaims } from "../claims/open-claims.ts";
import {
  claimedBy,
  installedSpec,
  NAMESPACE,
  nameOf,
  type RecordSecret,
  releaseOf,
  secretOf,
  signedIn,
  withIds,
} from "./record-secret.ts";
import { keepRecent } from "./keep-recent.ts";
import { formerAfter, runningSizes, trimmed } from "./running-sizes.ts";
import { countedSizes, heldAfter } from "./held-sizes.ts";
import type { HeldSize } from "./held-size.ts";
import {
  namesSizes,
  readReleaseMark,
  type ReleaseMark,
  type RunningSize,
} from "../../model/decision-annotation/system-secrets.ts";
import { decodeRecord, type RecordedRevision, type ReleaseRecord } from "./release-record.ts";

/** The records of the releases that this controller rendered. */
export interface Records {
  /** Null where there is none, or where its signature is not valid. */
  read(namespace: string, release: string): Promise<ReleaseRecord | null>;
  /** The sizes that the record's metadata says for the webhook, also if no known key signed its content; empty without a record. */
  running(namespace: string, release: string): Promise<RunningSize[]>;
  /** The part of the record that is for the webhook, also if no known key signed its content; null without a record. */
  mark(namespace: string, release: string): Promise<ReleaseMark | null>;
  /** Changes the revisions of a record; without revisions it is removed. A change by another client is a conflict (409). */
  change(namespace: string, release: string, by: (revisions: RecordedRevision[]) => RecordedRevision[]): Promise<void>;
  /** The sizes that a record holds; nothing is read if this process knows that there are none. */
  held(namespace: string, release: string): Promise<readonly HeldSize[]>;
  /** Replaces them: the provider's objects showed something. A change by another client is a conflict (409). */
  hold(namespace: string, release: string, by: (held: readonly HeldSize[]) => HeldSize[]): Promise<void>;
  /** None of the record's former objects exists any more. A change by another client is a conflict (409). */
  formerGone(namespace: string, release: string): Promise<void>;
  /** Writes the record of the composition with this uid again if its sizes are not as they are read by now; once in an hour. */
  correct(namespace: string, uid: string): Promise<void>;
  /** The objects that the records of this namespace name. Throws REL_API…. */
  claims(namespace: string): Promise<Claim[]>;
  /** The release in this namespace that was installed for the composition with this uid; null if none is recorded. */
  find(namespace: string, uid: string): Promise<string | null>;
}

export interface RecordOptions {
  client: KubeClient;
  log: Logger;
  /** Landfall's own namespace: tenants can write nothing there. */
  systemNamespace: string;
  /** Signs the records; null for none. */
  keys: (() => KeyRing) | null;
}

const withSizes = (record: ReleaseRecord, secret: RecordSecret): ReleaseRecord =>
  namesSizes(secret, countedSizes(record), installedSpec(record.revisions).spec) && namesObjects(secret)
    ? record
    : { ...record, lacksSizes: true };

const heldIn = (record: ReleaseRecord | null): readonly HeldSize[] => record?.held ?? [];

/** A record as it is stored. `resourceVersion`: null if there is none. */
interface Loaded {
  record: ReleaseRecord | null;
  resourceVersion: string | null;
  running: RunningSize[];
}

interface Change {
  namespace: string;
  release: string;
  by: (revisions: RecordedRevision[]) => RecordedRevision[];
}

/**
 * Ms for which a record that this process read or wrote is not read again: one installation asks for it eleven times. Only the controller
 * that leads writes records, and a change by another client is a conflict.
 */
const RECENT_MS = 2000;
/** Ms for which a record whose sizes are right is not looked at again. Nothing is remembered of a uid for longer: users make any number of objects. */
const CORRECTED_MS = 3_600_000;

/** Opens the records: one Secret for each release, in Landfall's own namespace, where tenants cannot write. */
export function openRecords({ client, log, systemNamespace, keys }: RecordOptions): Records {
  const collection = secretsPath(systemNamespace);

  /** The names of the records that hold nothing. */
  const settled = new Set<string>();
  const note = (name: string, held: readonly HeldSize[]): void =>
    void (held.length === 0 ? settled.add(name) : settled.delete(name));

  /** The records that were read or written a moment ago. */
  const recent = keepRecent<Loaded>(RECENT_MS);

  /** When records were written, in ms: what is read while one is written may be older. No read takes longer than this. */
  const written = keepRecent<number>(120_000);
  const forget = (name: string): void => {
    written.set(name, performance.now());
    recent.delete(name);
  };

  async function load(namespace: string, release: string): Promise<Loaded> {
    const [name, began] = [nameOf(namespace, release), performance.now()];
    const loaded = await loadNow(namespace, release);
    if ((written.get(name) ?? 0) < began) recent.set(name, loaded);
    return loaded;
  }

  const loadLately = async (namespace: string, release: string): Promise<Loaded> =>
    recent.get(nameOf(namespace, release)) ?? load(namespace, release);

  async function loadNow(namespace: string, release: string): Promise<Loaded> {
    const name = nameOf(namespace, release);
    const secret = await client.get<RecordSecret>(below(collection, name));
    const record = secret && (await decodeRecord({ namespace, release }, signedIn(secret), keys?.() ?? null));
    if (secret === null) {
      // Users write any number of names into labels: those that no record has are not kept.
      settled.delete(name);
      return { record: null, resourceVersion: null, running: [] };
    }
    note(name, heldIn(record));
    const { resourceVersion = "" } = secret.metadata;
    if (record !== null)
      return { record: withSizes(record, secret), resourceVersion, running: runningSizes(record.revisions) };
    const { message: error, code } = new LandfallError("REL_RECORD", { release, namespace });
    log.warn({ release, namespace, code, error }, "a release record is not used");
    return { record, resourceVersion, running: readReleaseMark(secret)?.running ?? [] };
  }

  const claims = openClaims({
    ...{ client, collection, label: NAMESPACE, releaseOf },
    async read(namespace, release) {
      const { record } = await loadLately(namespace, release);
      return record === null ? null : claimedBy(record);
    },
  });

  async function write(given: ReleaseRecord, resourceVersion: string | null): Promise<void> {
    const record = await withIds(given);
    const secret = await secretOf(record, { keys: keys?.() ?? null, systemNamespace }, resourceVersion);
    const name = nameOf(record.namespace, record.release);
    forget(name);
    const stored = await (resourceVersion === null
      ? client.create<RecordSecret>(collection, secret)
      : client.replace<RecordSecret>(below(collection, name), secret));
    forget(name);
    note(name, heldIn(record));
    claims.note(record.namespace, record.release, secret);
    const { resourceVersion: version = null } = stored.metadata;
    if (version !== null)
      recent.set(name, { record, resourceVersion: version, running: runningSizes(record.revisions) });
  }

  async function changeLoaded(
    { record, resourceVersion, running }: Loaded,
    { namespace, release, by }: Change,
  ): Promise<void> {
    const revisions = trimmed(by(record?.revisions ?? []));
    if (revisions.length === 0) {
      const name = nameOf(namespace, release);
      forget(name);
      if (resourceVersion !== null) await client.remove(below(collection, name));
      forget(name);
      settled.delete(name);
      claims.note(namespace, release, null);
      return;
    }
    const held = heldAfter({ held: heldIn(record), running }, revisions);
    const former = await formerAfter(record ?? {}, revisions);
    await write({ namespace, release, revisions, held, former }, resourceVersion);
  }

  const corrected = keepRecent<true>(CORRECTED_MS);
  const records: Records = {
    read: async (namespace, release) => (await loadLately(namespace, release)).record,
    running: async (namespace, release) => (await records.mark(namespace, release))?.running ?? [],
    async mark(namespace, release) {
      const secret = await client.get<RecordSecret>(below(collection, nameOf(namespace, release)));
      return secret === null ? null : readReleaseMark(secret);
    },
    async correct(namespace, uid) {
      if (corrected.get(uid) === true) return;
      const release = await records.find(namespace, uid);
      const record = release === null ? null : await records.read(namespace, release);
      if (record?.lacksSizes === true) await records.change(namespace, record.release, (revisions) => revisions);
      corrected.set(uid, true);
    },
    async change(namespace, release, by) {
      const known = recent.get(nameOf(namespace, release));
      const change = { namespace, release, by };
      try {
        await changeLoaded(known ?? (await load(namespace, release)), change);
      } catch (thrown) {
        // Another client changed it after it was read: only a record that is known from before is read again.
        if (known === undefined || !hasStatus(thrown, 409)) throw thrown;
        await changeLoaded(await load(namespace, release), change);
      }
    },
    async held(namespace, release) {
      if (settled.has(nameOf(namespace, release))) return [];
      return heldIn((await load(namespace, release)).record);
    },
    async hold(namespace, release, by) {
      const { record, resourceVersion } = await load(namespace, release);
      if (record !== null) await write({ ...record, held: by(heldIn(record)) }, resourceVersion);
    },
    async formerGone(namespace, release) {
      // Nearly no record has any, and this is asked at each look.
      if (((await loadLately(namespace, release)).record?.former ?? []).length === 0) return;
      const { record, resourceVersion } = await load(namespace, release);
      if (record?.former !== undefined) await write({ ...record, former: [] }, resourceVersion);
    },
    claims: (namespace) => claims.of(namespace),
    async find(namespace, uid) {
      const query = { labelSelector: `${NAMESPACE}=${namespace},${RELEASE_LABEL.composition}=${uid}` };
      const list = await client.get<{ items: RecordSecret[] }>(collection, { query, accept: METADATA_LIST });
      const [found] = list?.items ?? [];
      return found === undefined ? null : releaseOf(namespace, found.metadata.name);
    },
  };
  return records;
}
