import type { ElementoCode } from "./failure-class.ts";
import { type ClusterForm, type ServiceName, SERVICES } from "./inferred.ts";

const urlOf = (base: string, { port, prefix }: { port: number; prefix: string }): string => {
  const url = new URL(base);
  // An address with a port is a gateway for all services, which are distinguished by path; on a bare host each service has
  // its own port.
  if (url.port === "") url.port = String(port);
  return `${url.origin}${url.pathname.replace(/\/$/, "")}${prefix}`;
};

/**
 * The services' addresses: for `http://HOST` each has its own port, for `http://HOST:PORT/path` all are behind that
 * address.
 */
export const serviceUrls = (base: string): Record<ServiceName, string> => ({
  authentication: urlOf(base, SERVICES.authentication),
  compute: urlOf(base, SERVICES.compute),
  storage: urlOf(base, SERVICES.storage),
  network: urlOf(base, SERVICES.network),
  clusters: urlOf(base, SERVICES.clusters),
});

export interface Account {
  readonly username: string;
  /** A secret: never in a log or an error. */
  readonly password: string;
  /** The account's client, if the services ask for it. */
  readonly clientUuid?: string;
}

/** Result of one HTTP request; a repeated call gives several. */
export interface CallEvent {
  readonly service: ServiceName;
  /** The name of the call, e.g. registerVm. */
  readonly operation: string;
  readonly outcome: "ok" | ElementoCode;
  readonly seconds: number;
}

export interface ClientOptions {
  /** Address of each service with its path, without a trailing slash: `serviceUrls` gives the usual ones. */
  readonly urls: Readonly<Record<ServiceName, string>>;
  readonly account: Account;
  /** Limit of requests that start within any second, over all services of the account. */
  readonly requestsPerSecond: number;
  /** Limit of concurrent requests. */
  readonly parallel: number;
  /** For one request, including its whole answer. */
  readonly timeoutMs: number;
  /** How often a repeatable call is repeated. */
  readonly retries: number;
  /** Pause before the first repetition, in ms; it doubles, with jitter. */
  readonly firstPauseMs: number;
  readonly clusterForm: ClusterForm;
  readonly onCall: (event: CallEvent) => void;
}

/** Suits Elemento's client daemons: the Go client also waits 30 s for an answer. */
export const DEFAULTS = {
  requestsPerSecond: 10,
  parallel: 4,
  timeoutMs: 30_000,
  retries: 3,
  firstPauseMs: 250,
  clusterForm: "note",
  onCall: () => undefined,
} as const satisfies Partial<ClientOptions>;
