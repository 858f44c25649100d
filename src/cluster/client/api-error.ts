import type { ErrorCode, ErrorParams } from "../../errors.ts";
import { CodedError } from "../../errors.ts";

/** An error answer of the API server. `status` is the HTTP status; 0 if there was no answer. */
export class ApiError extends CodedError {
  readonly status: number;
  /** The message of the API server, or of the failed connection. */
  readonly detail: string;
  /** After how many seconds the API server wants to be asked again (429, 503); null if it does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, params: ErrorParams, cause?: unknown, retryAfterSeconds: number | null = null) {
    const code: ErrorCode = status === 0 ? "REL_API_AWAY" : "REL_API";
    super(code, params, cause);
    this.name = "ApiError";
    this.status = status;
    this.detail = String(params["detail"]);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether `thrown` is the API server's answer with this HTTP status. */
export const hasStatus = (thrown: unknown, status: number): thrown is ApiError =>
  thrown instanceof ApiError && thrown.status === status;
