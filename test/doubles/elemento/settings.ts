/** What can go wrong with one request. `hang`, `reset` and `error` strike before the request is done, or after. */
const FAULTS = ["hang", "reset", "error", "busy", "expire"] as const;
export type Fault = (typeof FAULTS)[number];

/** Everything that a test may choose; times in milliseconds. */
export interface Settings {
  username: string;
  password: string;
  /** How bad credentials are refused: by status 401, or by 200 with `authenticated: false`. */
  refusal: "401" | "false";
  /** Who holds the session: the daemon itself, a cookie, or a bearer token. */
  session: "daemon" | "cookie" | "token";
  /** A session ends by itself after so long; 0 for never. */
  sessionMs: number;
  /** Which of its two documented answers `register` gives. */
  registered: "uuid" | "server";
  /** Every request takes between these. */
  latencyMs: [least: number, most: number];
  /** One request at a time, as the thesis says of Elemento's API server. */
  oneAtATime: boolean;
  /** Share of requests that meet a fault, and which ones. */
  faultRate: number;
  faults: Fault[];
  /** Share of created volumes that end in state `error` after half their time; and of clusters. */
  brokenRate: number;
  brokenClusterRate: number;
  /** How long a request that hangs keeps its connection. */
  hangMs: number;
  retryAfterSeconds: number;
  /** More than so many requests within a second are refused with 429; 0 for no limit. */
  requestsPerSecond: number;
  vmMs: number;
  volumeMs: number;
  clusterMs: number;
  /** From a delete until it is gone. */
  deleteMs: number;
  /** A list shows a new thing only after so long. */
  listLagMs: number;
  /** Slots that may be in use at once, in all and over all providers. */
  capacity: number;
  quota: { vms: number; volumes: number; networks: number; clusters: number };
  /** Providers that are away: creates there fail with 503. */
  outages: string[];
  /** Where each provider sells, and for how much a month; the offers of canallocate and cancreate come from here. */
  prices: Record<string, { regions: string[]; month: number }>;
  /** Also the Go client's POST /delete {volume_id} for machines and volumes. */
  goClientDeletes: boolean;
  /** Refuses the end of a machine that holds data volumes, as the services behind do. */
  strictDelete: boolean;
}

const NO_LIMIT = 1_000_000;

export const USUAL: Settings = {
  username: "landfall",
  password: "correct horse",
  refusal: "401",
  session: "daemon",
  sessionMs: 0,
  registered: "uuid",
  latencyMs: [0, 0],
  oneAtATime: false,
  faultRate: 0,
  faults: [...FAULTS],
  brokenRate: 0,
  brokenClusterRate: 0,
  hangMs: 60_000,
  retryAfterSeconds: 1,
  requestsPerSecond: 0,
  vmMs: 300,
  volumeMs: 100,
  clusterMs: 500,
  deleteMs: 100,
  listLagMs: 0,
  capacity: NO_LIMIT,
  quota: { vms: NO_LIMIT, volumes: NO_LIMIT, networks: NO_LIMIT, clusters: NO_LIMIT },
  outages: [],
  prices: {
    arubacloud: { regions: ["it-mil"], month: 21.5 },
    ionos: { regions: ["de-fra"], month: 24 },
    ovh: { regions: ["gra7"], month: 19.75 },
  },
  goClientDeletes: false,
  strictDelete: false,
};
