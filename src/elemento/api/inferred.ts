import type { ElementoCode } from "./failure-class.ts";
import type { ClusterState, Place, VmState, VolumeState } from "./types.ts";
import { table } from "../../model/table.ts";

// Everything about Elemento's API that no public source states, or that its sources contradict each other about, in one
// place as data. docs/internals/elemento-api.md, section "What is inferred", gives the reason for each entry. The rest of
// src/elemento/api is documented.

/** Port of each service on the host of the client daemons, and its path prefix. */
export const SERVICES = {
  authentication: { port: 47777, prefix: "/api/v1/authenticate" },
  compute: { port: 17777, prefix: "/api/v1.0/client/vm" },
  storage: { port: 27777, prefix: "/api/v1.0/client/volume" },
  network: { port: 37777, prefix: "/api/v1.0/client/network" },
  // Two prefixes are published for the daemon; this is the one of the service hosts, which has the KaaS calls.
  clusters: { port: 6777, prefix: "/api/v1.0/kaas" },
} as const;
export type ServiceName = keyof typeof SERVICES;

/** Paths that sources name without the shape of their requests, or contradict each other about. */
export const PATHS = {
  // The other source has POST /delete {volume_id} for both.
  unregister: "/unregister",
  destroy: "/destroy",
  start: "/start",
  stop: "/stop",
  reboot: "/reboot",
} as const;

/** The key that names the machine in start, stop, reboot and unregister. */
export const VM_ID_KEY = "local_index";

/** Memory: MB in requests, GB in answers; both with factor 1024, as in Elemento's Go client. */
export const RAM = { requestedPerMiB: 1, reportedMiB: 1024 } as const;

/** The key in `register` and `canallocate`; the backend services also use requireECC. */
export const ECC_KEY = "reqECC";

/** The provider in a request; the region is sent as the header of the backend services. */
export const placeFields = {
  registerAddress: ({ provider }: Place): string => `${provider}.mesos.elemento.cloud`,
  networkServer: ({ provider }: Place): string => `https://${provider}.meson.elemento.cloud:7776`,
  regionHeader: "service_country",
} as const;

/**
 * How long a list may omit new objects and show deleted ones, and how long a request may still take effect after its
 * sender is gone. The Go client's test waits 2 s. Too short a time creates duplicates after a crash.
 */
export const LIST_LAG_MS = 2000;

/** The keys for labels in requests; answers return the labels under the same keys. */
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

/**
 * The daemon keeps the session itself; behind a gateway the session is a cookie, and the services require a bearer
 * token.
 */
export const SESSION = { cookie: "session_token", tokenKeys: ["token", "access_token", "jwt"] } as const;

const VM_STATES: Readonly<Record<string, VmState>> = table({
  initializing: "initializing",
  off: "off",
  running: "running",
  // The backend services' metrics use this word for a running machine.
  active: "running",
  starting: "starting",
  stopping: "stopping",
  migrating: "migrating",
  rebuilding: "rebuilding",
  deleting: "deleting",
});

/** An unknown word is not an error: it may be new. */
export const vmState = (word: string): VmState => VM_STATES[word.toLowerCase()] ?? "unknown";

const VOLUME_STATES: Readonly<Record<string, VolumeState>> = table({
  // A list may omit the state; the volume then exists.
  "": "available",
  creating: "creating",
  available: "available",
  deleting: "deleting",
  error: "error",
});

export const volumeState = (word: string): VolumeState => VOLUME_STATES[word.toLowerCase()] ?? "unknown";

const CLUSTER_STATES: Readonly<Record<string, ClusterState>> = table({
  creating: "creating",
  provisioning: "creating",
  running: "running",
  active: "running",
  updating: "updating",
  deleting: "deleting",
  to_delete: "deleting",
  error: "error",
});

export const clusterState = (word: string): ClusterState => CLUSTER_STATES[word.toLowerCase()] ?? "unknown";

/** A code in Elemento's answer, without separators and in lower case -> its error code, regardless of the HTTP status. */
export const API_CODES: Readonly<Record<string, ElementoCode>> = table({
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
});

/** Error code for an HTTP status if the answer's code is unknown; any other status from 500 is ELEMENTO_FAILED. */
export const HTTP_CODES: Readonly<Record<number, ElementoCode>> = {
  403: "ELEMENTO_FORBIDDEN",
  404: "ELEMENTO_NOT_FOUND",
  408: "ELEMENTO_FAILED",
  // Only the answer's code tells conflicts apart: most that an operator meets resolve themselves.
  409: "ELEMENTO_IN_USE",
  425: "ELEMENTO_TOO_EARLY",
  507: "ELEMENTO_CAPACITY",
};
