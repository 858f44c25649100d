export type ServerName = "landfall" | "opa" | "echo";

/** One server at one number of connections: medians over the rounds. */
export interface AdmissionResult {
  server: ServerName;
  connections: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface DecisionResult {
  /** `policy`: WASM evaluation alone; `decision`: from the object to the whole decision. */
  stage: "policy" | "decision";
  /** How many places were considered. */
  regions: number;
  p50Ms: number;
  p99Ms: number;
}

/** What `--json FILE` holds. `composition` is null and the lists are empty where `--only` left them out. */
export interface BenchReport {
  admission: AdmissionResult[];
  decision: DecisionResult[];
  composition: { objects: number; seconds: number } | null;
  webhookRssMb: number;
}

/** A server under test: what is sent to it, in turn. */
export interface Target {
  server: ServerName;
  url: string;
  bodies: string[];
  /** PEM; only the webhook asks for a client certificate. */
  client?: { certificate: string; key: string };
}

/** What bench/load.ts reads from standard input. */
export interface LoadOrder extends Target {
  connections: number;
  seconds: number;
  warmUpSeconds: number;
}

/** What bench/load.ts answers on standard output. */
export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** How many requests were answered within the time. */
  answered: number;
  /** Answers that were no 200, and connections that broke. */
  failures: number;
}
