import { LandfallError, toError } from "../../errors.ts";
import { isPassingStatus, Passing } from "../http/passing.ts";
import { retryAfter } from "../http/retry-after.ts";
import { shortDetail } from "../http/short-detail.ts";

/** Whom a request asks, for messages. */
export interface Asked {
  source: string;
  /** The option that names its address. */
  option: string;
}

interface Refusal {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
}

const CUT = new Set([
  "UND_ERR_SOCKET",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "Z_BUF_ERROR",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

/** undici's errors have their code themselves or in their cause. */
function codeOf(error: Error): string {
  const found = [error, error.cause].find(
    (one) => one instanceof Error && "code" in one && typeof one.code === "string",
  );
  return (found as { code: string } | undefined)?.code ?? "";
}

/** The error for an answer that is not 200; `text` is its beginning. */
export function refusal(asked: Asked, { statusCode, headers }: Refusal, text: string): Error {
  const moved = typeof headers["location"] === "string" ? `it has moved to ${headers["location"].slice(0, 100)}` : "";
  const params = { ...asked, status: statusCode, detail: moved || shortDetail(text) };
  const pause = retryAfter(headers["retry-after"]);
  const error =
    statusCode === 429
      ? new LandfallError("PRICES_BUSY", { ...asked, seconds: pause })
      : new LandfallError("PRICES_STATUS", params);
  return isPassingStatus(statusCode) ? new Passing(error, pause) : error;
}

/** Whatever ended a request, as an error with a code. What may pass is `Passing`. */
export function failureOf(asked: Asked, thrown: unknown): Error {
  if (thrown instanceof LandfallError || thrown instanceof Passing) return thrown;
  const error = toError(thrown);
  const code = codeOf(error);
  if (error.name === "TimeoutError")
    return new Passing(new LandfallError("PRICES_AWAY", { ...asked, detail: "its answer takes too long" }, error));
  const detail = `${code} ${error.message}`.trim();
  if (CUT.has(code) || error.message === "terminated" || error.message === "aborted")
    return new Passing(new LandfallError("PRICES_CUT", { ...asked, detail }, error));
  if (code.startsWith("Z_")) return new LandfallError("PRICES_ANSWER", { ...asked, detail: "it is not gzip" }, error);
  return new Passing(new LandfallError("PRICES_AWAY", { ...asked, detail }, error));
}
