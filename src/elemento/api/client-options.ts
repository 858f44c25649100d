import type { ElementoCode } from "./transport/failure-class.ts";
import { type ClusterForm, type ServiceName, SERVICES } from "./inferred.ts";

const urlOf = (base: string, { port, prefix }: { port: number; prefix: string }): string => {
  const url = new URL(base);
  // One address with a port is one door to all services, told apart by their paths; a bare host has a port for each.
  if (url.port === "") url.port = String(port);
  return `${url.origin}${url.pathname.replace(/\/$/, "")}${prefix}`;
};

/** Addresses of the services: below `http://HOST` each on its own port, below `http://HOST:PORT/path` all behind that one. */
export const serviceUrls = (base: string): Record<ServiceName, string> => ({
  authentication: urlOf(base, SERVICES.authentication),
  compute: urlOf(base, SERVICES.compute),
  storage: urlOf(base, SERVICES.storage),
  network: urlOf(base, SERVICES.network),
  clusters: urlOf(base, SERVICES.clusters),
});

export interface Account {
  readonly username: string;
  /** A secret: in no log and no error. */
  readonly password: string;
  /** Which client of the account, where the services ask for it. */
  readonly clientUuid?: string;
}

/** What one HTTP request came to; a call that was repeated gives several. */
export interface CallEvent {
  readonly service: ServiceName;
  /** The name of the call, e.g. registerVm. */
  readonly operation: string;
  readonly outcome: "ok" | ElementoCode;
  readonly seconds: number;
}

export interface ClientOptions {
  /** Address of each service with its path, without a slash at the end: `serviceUrls` gives the usual ones. */
  readonly urls: Readonly<Record<ServiceName, string>>;
  readonly account: Account;
  /** Requests that start within any second, over all services of the account. */
  readonly requestsPerSecond: number;
  /** Requests under way at once. */
  readonly parallel: number;
  /** For one request, until its answer is whole. */
  readonly timeoutMs: number;
  /** Repetitions of a call that may be repeated. */
  readonly retries: number;
  /** Pause before the first repetition; it doubles, with jitter. */
  readonly firstPauseMs: number;
  readonly clusterForm: ClusterForm;
  readonly onCall: (event: CallEvent) => void;
}

/** What fits Elemento's client daemons: the Go client waits 30 s for an answer too. */
export const DEFAULTS = {
  requestsPerSecond: 10,
  parallel: 4,
  timeoutMs: 30_000,
  retries: 3,
  firstPauseMs: 250,
  clusterForm: "note",
  onCall: () => undefined,
} as const satisfies Partial<ClientOptions>;
