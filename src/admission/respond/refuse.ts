import { describe, type ErrorCode, type ErrorParams } from "../../errors.ts";
import type { Denied } from "../types.ts";

/** A denial without a decision: of a request that is not asked about. */
export function refuse(code: ErrorCode, params: ErrorParams): Denied {
  const { message, remedy } = describe(code, params);
  return { allowed: false, message: `${message}; ${remedy} [${code}]`, codes: [code], decision: null };
}
