import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { shareSlots, type Slots } from "../../cluster/queue/share-slots.ts";
import { LandfallError } from "../../errors.ts";
import { sha256 } from "../../model/sha256.ts";
import type { ElementoApi } from "../api/elemento-api.ts";
import { type AccountView, viewAccount } from "./account-view.ts";
import { readSecret } from "./read-secret.ts";
import { rememberRefusals } from "./refusals.ts";

/** Segments of a path; an empty last one does not count. */
const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/**
 * Whether a URL is `base` or lies below it: the same scheme, host and port, and a path that begins with all of its segments.
 * `https://a.example` is not the beginning of `https://a.example.attacker.test`. A URL with a user name is below none.
 */
export function isBelowUrl(url: string, base: string): boolean {
  const [own, allowed] = [URL.parse(url), URL.parse(base)];
  if (own === null || allowed === null || own.username !== "" || own.password !== "") return false;
  // Schemes that URL does not know have no origin to compare.
  if (own.origin === "null" || own.origin !== allowed.origin) return false;
  const segments = segmentsOf(own.pathname);
  return segmentsOf(allowed.pathname).every((segment, index) => segments[index] === segment);
}

export interface AccountKey {
  readonly namespace: string;
  readonly name: string;
}

export interface Account {
  readonly api: ElementoApi;
  readonly view: AccountView;
  /** Limits how many objects create resources at the same time: a creation that is noted as tried is then under way. The next is of the namespace with the fewest. */
  readonly createSlot: Slots;
}

export interface Accounts {
  /** The account of a credentials Secret. Throws ELEMENTO_ACCOUNT if the Secret is missing or incomplete. */
  of(key: AccountKey): Promise<Account>;
  close(): Promise<void>;
}

export interface Credentials {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly clientUuid?: string;
}

export interface AccountOptions {
  readonly client: KubeClient;
  /** Opens the client of an account. */
  readonly open: (credentials: Credentials) => ElementoApi;
  /** The operator's own Secret, the only one whose `url` is not restricted. */
  readonly own: AccountKey;
  /** Allowed prefixes of `url` in all other Secrets: users must not make the operator connect to arbitrary hosts. */
  readonly allowedUrls: readonly string[];
  /** ms since 1970 */
  readonly nowMs: () => number;
}

/** A Secret is read again after this many ms, also a refused one. */
const READ_AGAIN_MS = 15_000;
/** A Secret that no object has asked for in this time is forgotten: the operator looks at each object every few minutes. */
const FORGET_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
/**
 * Objects of an account that create at the same time, and those of one namespace. As many as the client sends concurrently: after a crash, only these have to
 * wait for the lists.
 */
const CREATIONS = { all: 4, group: 3 };
/** Characters of each value, which are kept as long as the account. */
const VALUE = 4096;
/** Of a whole Secret: its values in base64, twice if `kubectl apply` notes them in an annotation, and room for other metadata. */
const SECRET_BYTES = 131_072;
/** Secrets of one namespace that are known at the same time: each has a client. */
const PER_NAMESPACE = 50;

interface Opened {
  account: Account;
  /** Secrets that hold these credentials. */
  secrets: number;
}

interface Known {
  namespace: string;
  /** Of the last reading, and of the last call. */
  readAt: number;
  askedAt: number;
  fingerprint: string;
  account: Account;
}

function assertShort({ namespace, name }: AccountKey, data: Record<string, string> | null): void {
  const keys = ["url", "username", "password", "clientUuid"];
  const long = keys.find((key) => (data?.[key] ?? "").length > VALUE);
  if (long === undefined) return;
  const detail = `its key ${long} has more than ${String(VALUE)} characters`;
  throw new LandfallError("ELEMENTO_ACCOUNT", { secret: `${namespace}/${name}`, detail });
}

function credentialsOf(key: AccountKey, data: Record<string, string> | null, options: AccountOptions): Credentials {
  const secret = `${key.namespace}/${key.name}`;
  const wrong = (detail: string): LandfallError => new LandfallError("ELEMENTO_ACCOUNT", { secret, detail });
  if (data === null) throw wrong("there is no such Secret");
  const { url, username, password, clientUuid } = data;
  if (username === undefined || password === undefined) throw wrong("it needs the keys username and password");
  if (url === undefined || !URL.canParse(url))
    throw wrong("its key url must be the address of Elemento's client daemons");
  const isOwn = key.namespace === options.own.namespace && key.name === options.own.name;
  if (!isOwn && !options.allowedUrls.some((allowed) => isBelowUrl(url, allowed))) {
    throw wrong("its url is none that the operator may use: ask the platform team (--allowed-urls)");
  }
  return { url, username, password, ...(clientUuid === undefined ? {} : { clientUuid }) };
}

/**
 * One client, session and rate limit per account, regardless of how many objects and Secrets refer to it. Secrets that no object uses any more are
 * forgotten, and of one namespace some at most are known: each tenant can make as many as it likes.
 */
export function openAccounts(options: AccountOptions): Accounts {
  const { nowMs } = options;
  const byKey = new Map<string, Known>();
  const byCredentials = new Map<string, Opened>();
  const perNamespace = new Map<string, number>();
  const refusals = rememberRefusals(nowMs, READ_AGAIN_MS);
  /** Underway: objects that ask for a Secret at the same time share its reading. */
  const readings = new Map<string, Promise<Account>>();
  let sweptAt = nowMs();

  function openedFor(credentials: Credentials, fingerprint: string): Opened {
    const known = byCredentials.get(fingerprint);
    if (known) return known;
    const api = options.open(credentials);
    const opened = { account: { api, view: viewAccount(api, nowMs), createSlot: shareSlots(CREATIONS) }, secrets: 0 };
    byCredentials.set(fingerprint, opened);
    return opened;
  }

  function forget(id: string): void {
    const known = byKey.get(id);
    if (known === undefined) return;
    byKey.delete(id);
    const left = (perNamespace.get(known.namespace) ?? 0) - 1;
    if (left > 0) perNamespace.set(known.namespace, left);
    else perNamespace.delete(known.namespace);
    const opened = byCredentials.get(known.fingerprint);
    if (opened === undefined) return;
    opened.secrets -= 1;
    if (opened.secrets > 0) return;
    byCredentials.delete(known.fingerprint);
    void known.account.api.close();
  }

  function sweep(): void {
    const now = nowMs();
    if (now - sweptAt < SWEEP_MS) return;
    sweptAt = now;
    refusals.sweep();
    for (const [id, { askedAt }] of byKey) if (now - askedAt >= FORGET_MS) forget(id);
  }

  function remember(key: AccountKey, id: string, credentials: Credentials): Account {
    const fingerprint = sha256(JSON.stringify(Object.entries(credentials).sort()));
    const opened = openedFor(credentials, fingerprint);
    opened.secrets += 1;
    forget(id);
    const { namespace } = key;
    perNamespace.set(namespace, (perNamespace.get(namespace) ?? 0) + 1);
    const now = nowMs();
    byKey.set(id, { namespace, readAt: now, askedAt: now, fingerprint, account: opened.account });
    return opened.account;
  }

  function assertRoom({ namespace, name }: AccountKey): void {
    if ((perNamespace.get(namespace) ?? 0) < PER_NAMESPACE) return;
    const detail = `the objects of its namespace use ${String(PER_NAMESPACE)} other Secrets; use fewer, or wait half an hour after the last use of one`;
    throw new LandfallError("ELEMENTO_ACCOUNT", { secret: `${namespace}/${name}`, detail });
  }

  async function dataOf(key: AccountKey): Promise<Record<string, string> | null> {
    try {
      return await readSecret(options.client, key, SECRET_BYTES);
    } catch (thrown) {
      if (!hasStatus(thrown, 413)) throw thrown;
      const detail = `it has more than ${String(SECRET_BYTES)} bytes`;
      throw new LandfallError("ELEMENTO_ACCOUNT", { secret: `${key.namespace}/${key.name}`, detail }, thrown);
    }
  }

  async function read(key: AccountKey, id: string): Promise<Account> {
    try {
      const data = await dataOf(key);
      assertShort(key, data);
      const credentials = credentialsOf(key, data, options);
      if (!byKey.has(id)) assertRoom(key);
      return remember(key, id, credentials);
    } catch (thrown) {
      refusals.note(id, thrown);
      if (thrown instanceof LandfallError && thrown.code === "ELEMENTO_ACCOUNT") forget(id);
      throw thrown;
    }
  }

  return {
    async of(key) {
      sweep();
      const id = `${key.namespace}/${key.name}`;
      const known = byKey.get(id);
      if (known !== undefined) {
        known.askedAt = nowMs();
        if (known.askedAt - known.readAt < READ_AGAIN_MS) return known.account;
      }
      refusals.check(id);
      if (known === undefined) assertRoom(key);
      const reading = readings.get(id) ?? read(key, id).finally(() => readings.delete(id));
      readings.set(id, reading);
      return reading;
    },
    async close() {
      await Promise.all([...byCredentials.values()].map(({ account }) => account.api.close()));
    },
  };
}
