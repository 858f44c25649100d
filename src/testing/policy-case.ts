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

/** schemas/policy-case.schema.json, with its name and its moment filled in. */
export interface PolicyCase {
  /** The folder or file that it was read from. */
  name: string;
  description: string;
  /** Seconds since 1970. */
  nowSeconds: number;
  object: Workload;
  before: { object: Workload; nowSeconds: number } | null;
  namespace: { labels: Record<string, string>; annotations: Record<string, string> };
  /** Null: nothing is known of the cluster. */
  others: Workload[] | null;
  expect: Expectations;
}

/** An expectation that does not hold. Both sides hold only what was asked about. */
export interface Mismatch {
  what: string;
  expected: unknown;
  actual: unknown;
}

export interface CaseResult {
  case: Pick<PolicyCase, "name" | "description">;
  mismatches: Mismatch[];
  /** What kubectl would show where the object is denied: the first thing to read when a case fails. */
  message: string | null;
  milliseconds: number;
}
