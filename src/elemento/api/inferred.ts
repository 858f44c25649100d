import type { ElementoCode } from "./transport/failure-class.ts";
import type { ClusterState, Place, VmState, VolumeState } from "./types.ts";

// Everything about Elemento's API that no public source states, or that its sources state in two ways, in one place as data.
// Each entry's reason stands in docs/internals/elemento-api.md, section "What is inferred". The rest of src/elemento/api is documented.

/** Where each service listens on the host of the client daemons, and below which path. */
export const SERVICES = {
  authentication: { port: 47777, prefix: "/api/v1/authenticate" },
  compute: { port: 17777, prefix: "/api/v1.0/client/vm" },
  storage: { port: 27777, prefix: "/api/v1.0/client/volume" },
  network: { port: 37777, prefix: "/api/v1.0/client/network" },
  // Two prefixes are published for the daemon; this is the one of the service hosts, which has the calls of KaaS.
  clusters: { port: 6777, prefix: "/api/v1.0/kaas" },
} as const;
export type ServiceName = keyof typeof SERVICES;

/** Paths that sources name without a request's shape, or name twice. */
export const PATHS = {
  // The other source says POST /delete {volume_id} for both.
  unregister: "/unregister",
  destroy: "/destroy",
  start: "/start",
  stop: "/stop",
  reboot: "/reboot",
} as const;

/** The key under which start, stop, reboot and unregister name a machine. */
export const VM_ID_KEY = "local_index";

/** Memory: MB when it is asked for, GB when it is reported; both of 1024, as Elemento's Go client reckons. */
export const RAM = { requestedPerMiB: 1, reportedMiB: 1024 } as const;

/** `register` and `canallocate` call it so; the services behind them say requireECC too. */
export const ECC_KEY = "reqECC";

/** Where a request says at which provider it is meant; the region travels as the header of the services behind. */
export const placeFields = {
  registerAddress: ({ provider }: Place): string => `${provider}.mesos.elemento.cloud`,
  networkServer: ({ provider }: Place): string => `https://${provider}.meson.elemento.cloud:7776`,
  regionHeader: "service_country",
} as const;

/**
 * How long a list may not show what was just created, and show what was just deleted; and how long a request whose sender
 * is gone may still take effect. The Go client's test waits 2 s. Too short a time makes things twice after a crash.
 */
export const LIST_LAG_MS = 2000;

/** A request has these for labels; answers give them back under the same key. */
export const LABELS = { vm: "labels", cluster: "metadata" } as const;

/** A KaaS request is published in two forms: the note's, and a newer one with `nodepools`, GB and CIDRs. */
export type ClusterForm = "note" | "intent";

/** The note's form of billing periods; only HOURLY is published. */
export const BILLING_WORDS = {
  hour: "HOURLY",
  day: "DAILY",
  week: "WEEKLY",
  month: "MONTHLY",
  year: "YEARLY",
} as const;

/** The daemon holds the session itself; behind a gateway the session is a cookie, and the services want a bearer token. */
export const SESSION = { cookie: "session_token", tokenKeys: ["token", "access_token", "jwt"] } as const;

const VM_STATES: Readonly<Record<string, VmState>> = {
  initializing: "initializing",
  off: "off",
  running: "running",
  // Metrics of the services behind say this for a running machine.
  active: "running",
  starting: "starting",
  stopping: "stopping",
  migrating: "migrating",
  rebuilding: "rebuilding",
  deleting: "deleting",
};

/** A word that is not in the list is no failure: it may be new. */
export const vmState = (word: string): VmState => VM_STATES[word.toLowerCase()] ?? "unknown";

const VOLUME_STATES: Readonly<Record<string, VolumeState>> = {
  // Lists need not say a state: then the volume exists.
  "": "available",
  creating: "creating",
  available: "available",
  deleting: "deleting",
  error: "error",
};

export const volumeState = (word: string): VolumeState => VOLUME_STATES[word.toLowerCase()] ?? "unknown";

const CLUSTER_STATES: Readonly<Record<string, ClusterState>> = {
  creating: "creating",
  provisioning: "creating",
  running: "running",
  active: "running",
  updating: "updating",
  deleting: "deleting",
  to_delete: "deleting",
  error: "error",
};

export const clusterState = (word: string): ClusterState => CLUSTER_STATES[word.toLowerCase()] ?? "unknown";

/** A code of Elemento's answer, without separators and in lower case, -> what it is, whatever HTTP status came with it. */
export const API_CODES: Readonly<Record<string, ElementoCode>> = {
  notallocable: "ELEMENTO_CAPACITY",
  placementerror: "ELEMENTO_CAPACITY",
  nospaceleftinlocation: "ELEMENTO_CAPACITY",
  resourcelimitexceeded: "ELEMENTO_CAPACITY",
  resourceunavailable: "ELEMENTO_CAPACITY",
  availablepathnotfound: "ELEMENTO_CAPACITY",
  uniquenesserror: "ELEMENTO_CONFLICT",
  cloudinitmetafilesnumberexceeded: "ELEMENTO_CONFLICT",
  networksoverlap: "ELEMENTO_CONFLICT",
  volumealreadyattached: "ELEMENTO_IN_USE",
  cannotbedeleted: "ELEMENTO_IN_USE",
  alreadyexported: "ELEMENTO_IN_USE",
  locked: "ELEMENTO_IN_USE",
  alredylocked: "ELEMENTO_IN_USE",
  creationfailed: "ELEMENTO_FAILED",
  maintenance: "ELEMENTO_FAILED",
  servicefailed: "ELEMENTO_FAILED",
  billingfailed: "ELEMENTO_FAILED",
  serviceunavailable: "ELEMENTO_FAILED",
  cloudinitcreateimagedownloadfailed: "ELEMENTO_FAILED",
  invalidservertype: "ELEMENTO_REFUSED",
  unsupportedformat: "ELEMENTO_REFUSED",
  tooearly: "ELEMENTO_TOO_EARLY",
  servernotstopped: "ELEMENTO_TOO_EARLY",
  formatnotallowed: "ELEMENTO_REFUSED",
  busnotallowed: "ELEMENTO_REFUSED",
};

/** What an HTTP status means where the answer's code says nothing; any other from 500 on is ELEMENTO_FAILED. */
export const HTTP_CODES: Readonly<Record<number, ElementoCode>> = {
  403: "ELEMENTO_FORBIDDEN",
  404: "ELEMENTO_NOT_FOUND",
  408: "ELEMENTO_FAILED",
  // Which conflict it is, only the code tells: most that an operator meets end by themselves.
  409: "ELEMENTO_IN_USE",
  425: "ELEMENTO_TOO_EARLY",
  507: "ELEMENTO_CAPACITY",
};
