import type { ErrorCode, ErrorParams } from "../../errors.ts";
import { CodedError } from "../../errors.ts";

/** An error answer of the API server. `status` is the HTTP status; 0 if there was no answer. */
export class ApiError extends CodedError {
  readonly status: number;
  /** The message of the API server, or of the failed connection. */
  readonly detail: string;

  constructor(status: number, params: ErrorParams, cause?: unknown) {
    const code: ErrorCode = status === 0 ? "REL_API_AWAY" : "REL_API";
    super(code, params, cause);
    this.name = "ApiError";
    this.status = status;
    this.detail = String(params["detail"]);
  }
}

/** Whether `thrown` is the API server's answer with this HTTP status. */
export const hasStatus = (thrown: unknown, status: number): boolean =>
  thrown instanceof ApiError && thrown.status === status;
