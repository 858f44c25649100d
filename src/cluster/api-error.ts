import type { ErrorCode, ErrorParams } from "../errors.ts";
import { LandfallError } from "../errors.ts";

/** An answer of the API server that is no success; `status` is the HTTP status, 0 where none came. */
export class ApiError extends LandfallError {
  readonly status: number;

  constructor(status: number, params: ErrorParams, cause?: unknown) {
    const code: ErrorCode = status === 0 ? "REL_API_AWAY" : "REL_API";
    super(code, params, cause);
    this.name = "ApiError";
    this.status = status;
  }
}

/** True where `thrown` is the API server's answer with this HTTP status. */
export const hasStatus = (thrown: unknown, status: number): boolean =>
  thrown instanceof ApiError && thrown.status === status;
