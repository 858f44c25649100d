/** The oracle's input: an object's spec, its namespace's annotations, and the time in seconds since 1970. */
export interface OracleRequest {
  spec: OracleSpec;
  annotations: Record<string, string>;
  nowSeconds: number;
}

export interface OracleSpec extends Record<string, unknown> {
  cpu: number;
  memory: number;
  arch?: string;
  burstable?: boolean;
  capacity?: string;
  duration?: string;
  deadline?: string;
  maxLatency?: number;
  origin?: string;
  provider?: string;
  schedulingLocation?: string;
  instanceType?: string;
  zone?: string;
  image?: string;
  os?: string;
  dataResidency?: string[];
  osDisk?: { sizeGiB?: number; type?: string };
  disks?: { name: string; sizeGiB: number; type?: string; deletionPolicy?: string }[];
  ports?: { port: number }[];
  userData?: string;
  network?: {
    publicIP?: boolean;
    existing?: { network?: string; subnet?: string; securityGroups?: string[] };
  };
}

/** The expected result. */
export interface OracleAnswer {
  allowed: boolean;
  /** Codes of the denials, each once, sorted. */
  codes: string[];
  /** place -> instance type; empty for a denial. */
  candidates: Record<string, string>;
}
