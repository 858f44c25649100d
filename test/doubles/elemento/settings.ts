/** Possible faults of a request. `hang`, `reset` and `error` happen before or after the request takes effect. */
const FAULTS = ["hang", "reset", "error", "busy", "expire"] as const;
export type Fault = (typeof FAULTS)[number];

/** All settings for tests; times in milliseconds. */
export interface Settings {
  username: string;
  password: string;
  /** The answer to bad credentials: status 401, or 200 with `authenticated: false`. */
  refusal: "401" | "false";
  /** Where the session is: in the daemon itself, a cookie, or a bearer token. */
  session: "daemon" | "cookie" | "token";
  /** Lifetime of a session; 0 for unlimited. */
  sessionMs: number;
  /** Which of its two documented answers `register` returns. */
  registered: "uuid" | "server";
  /** Range of each request's latency. */
  latencyMs: [least: number, most: number];
  /** One request at a time, as the thesis describes Elemento's API server. */
  oneAtATime: boolean;
  /** Share of requests with a fault, and the kinds of faults. */
  faultRate: number;
  faults: Fault[];
  /** Share of created volumes that end in state `error` after half their time, and of clusters. */
  brokenRate: number;
  brokenClusterRate: number;
  /** How long a hanging request keeps its connection. */
  hangMs: number;
  retryAfterSeconds: number;
  /** Limit of requests per second; further ones get 429. 0 for no limit. */
  requestsPerSecond: number;
  vmMs: number;
  volumeMs: number;
  clusterMs: number;
  /** Time from a delete until the resource is gone. */
  deleteMs: number;
  /** Delay before a list shows a new resource. */
  listLagMs: number;
  /** Total capacity in slots, over all providers. */
  capacity: number;
  quota: { vms: number; volumes: number; networks: number; clusters: number };
  /** Unavailable providers: creates there fail with 503. */
  outages: string[];
  /** The providers' regions and monthly prices, for the offers of canallocate and cancreate. */
  prices: Record<string, { regions: string[]; month: number }>;
  /** Whether to accept the Go client's POST /delete {volume_id} for machines and volumes. */
  goClientDeletes: boolean;
  /** Refuses the deletion of a machine with data volumes, as the backend services do. */
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
