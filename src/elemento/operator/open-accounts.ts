import type { KubeClient } from "../../cluster/client/create-client.ts";
import { LandfallError } from "../../errors.ts";
import type { ElementoApi } from "../api/elemento-api.ts";
import { type AccountView, viewAccount } from "./account-view.ts";
import { readSecret } from "./read-secret.ts";

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

/** A Secret is read again after this many ms. */
const READ_AGAIN_MS = 15_000;

interface Known {
  readAt: number;
  fingerprint: string;
  account: Account;
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

/** One client, session and rate limit per account, regardless of how many objects and Secrets refer to it. */
export function openAccounts(options: AccountOptions): Accounts {
  const byKey = new Map<string, Known>();
  const byCredentials = new Map<string, Account>();

  function accountOf(credentials: Credentials): { fingerprint: string; account: Account } {
    const fingerprint = JSON.stringify(Object.entries(credentials).sort());
    const known = byCredentials.get(fingerprint);
    if (known) return { fingerprint, account: known };
    const api = options.open(credentials);
    const account = { api, view: viewAccount(api, options.nowMs) };
    byCredentials.set(fingerprint, account);
    return { fingerprint, account };
  }

  function forgetUnused(): void {
    const used = new Set([...byKey.values()].map(({ fingerprint }) => fingerprint));
    for (const [fingerprint, { api }] of byCredentials) {
      if (used.has(fingerprint)) continue;
      byCredentials.delete(fingerprint);
      void api.close();
    }
  }

  return {
    async of(key) {
      const id = `${key.namespace}/${key.name}`;
      const known = byKey.get(id);
      if (known && options.nowMs() - known.readAt < READ_AGAIN_MS) return known.account;
      const data = await readSecret(options.client, key.namespace, key.name);
      const read = accountOf(credentialsOf(key, data, options));
      byKey.set(id, { readAt: options.nowMs(), ...read });
      forgetUnused();
      return read.account;
    },
    async close() {
      await Promise.all([...byCredentials.values()].map(({ api }) => api.close()));
    },
  };
}
