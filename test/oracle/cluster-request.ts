import type { OracleRequest } from "./request.ts";

export interface OracleTaint {
  key: string;
  value?: string;
  effect: string;
}

export interface OraclePool {
  name: string;
  cpu: number;
  memory: number;
  gpu?: number;
  count?: number;
  min?: number;
  max?: number;
  labels?: Record<string, string>;
  taints?: OracleTaint[];
}

export interface ClusterSpec extends Record<string, unknown> {
  nodePools: OraclePool[];
  kubernetesVersion?: string;
  highAvailability?: boolean;
  endpoint?: "public" | "private";
  releaseChannel?: "rapid" | "regular" | "stable";
  zones?: string[];
  poolInstanceTypes?: Record<string, string>;
  network?: { nodeCidr?: string; podCidr?: string; serviceCidr?: string };
}

/** A cluster, with its namespace's annotations and the time. */
export interface ClusterRequest extends Pick<OracleRequest, "annotations" | "nowSeconds"> {
  spec: ClusterSpec;
}

/** A place's expected offer. */
export interface ClusterPlace {
  kubernetesVersion: string;
  zones: string[];
  /** pool -> type */
  types: Record<string, string>;
  /** Of all expected nodes, USD per hour; null if one price is not published. */
  price: number | null;
}

export interface ClusterAnswer {
  allowed: boolean;
  codes: string[];
  candidates: Record<string, ClusterPlace>;
}
