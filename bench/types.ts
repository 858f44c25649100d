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
  /** Number of candidate places. */
  regions: number;
  p50Ms: number;
  p99Ms: number;
}

/** One way to call helm: medians over the rounds. Figures are per object, but for seconds and memory. */
export interface HelmResult {
  by: "program" | "worker";
  /** From the first request until all releases are deployed. */
  seconds: number;
  /** Requests of Landfall's processes in the API server's audit log. */
  requests: number;
  /** Processor time by part. */
  milliseconds: Record<string, number>;
  /** MiB of all that runs helm, at its highest, and of the controller. */
  helmMb: number;
  controllerMb: number;
}

/** The content of `--json FILE`. `composition` is null and the lists are empty if `--only` excluded them. */
export interface BenchReport {
  admission: AdmissionResult[];
  decision: DecisionResult[];
  composition: { objects: number; seconds: number } | null;
  helm: HelmResult[];
  webhookRssMb: number;
}

/** A server under test, with its requests in turn. */
export interface Target {
  server: ServerName;
  url: string;
  bodies: string[];
  /** PEM; only the webhook asks for a client certificate. */
  client?: { certificate: string; key: string };
}

/** bench/load.ts's standard input. */
export interface LoadOrder extends Target {
  connections: number;
  seconds: number;
  warmUpSeconds: number;
  /** As many requests, however long they take; `seconds` is not used then. */
  requests?: number;
}

/** bench/load.ts's standard output. */
export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Number of requests answered within the time. */
  answered: number;
  /** Answers other than 200, and broken connections. */
  failures: number;
}
