import type { Workload } from "../model/workload.ts";
import type { PatchOperation } from "../model/decision.ts";

export interface Expectations {
  allowed?: boolean;
  codes?: string[];
  warnings?: string[];
  degraded?: string[];
  message?: string[];
  placement?: Record<string, unknown>;
  rejected?: Record<string, string[]>;
  spec?: Record<string, unknown>;
  patch?: PatchOperation[];
  kinds?: string[];
  manifests?: Record<string, unknown>[];
}

/** schemas/policy-case.schema.json with its name and time filled in. */
export interface PolicyCase {
  /** Its folder or file. */
  name: string;
  description: string;
  /** Seconds since 1970. */
  nowSeconds: number;
  object: Workload;
  before: { object: Workload; nowSeconds: number } | null;
  namespace: { labels: Record<string, string>; annotations: Record<string, string> };
  /** Null: no data about the cluster. */
  others: Workload[] | null;
  expect: Expectations;
}

/** An expectation that is not met. Both sides have only the expected fields. */
export interface Mismatch {
  what: string;
  expected: unknown;
  actual: unknown;
  /** The correction of an expectation that no object can meet. */
  hint?: string;
}

export interface CaseResult {
  case: Pick<PolicyCase, "name" | "description">;
  mismatches: Mismatch[];
  /** kubectl's output if the object is denied: the most useful information about a failure. */
  message: string | null;
  milliseconds: number;
}
