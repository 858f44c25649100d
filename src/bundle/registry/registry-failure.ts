import { LandfallError, toError } from "../../errors.ts";

/** The parts of an unsuccessful answer that are read. */
interface Refusal {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
}

const TEXT_LIMIT = 300;

/** OpenSSL's and Node's codes for an untrusted certificate. */
const TLS = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/;
const SLOW = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);

function isRefusal(what: unknown): what is Refusal {
  return typeof what === "object" && what !== null && "statusCode" in what && "headers" in what;
}

function refused(ref: string, { statusCode, headers }: Refusal, text: string): LandfallError {
  const detail = `HTTP ${String(statusCode)} ${text.trim().slice(0, TEXT_LIMIT)}`.trim();
  if (statusCode === 401 || statusCode === 403) return new LandfallError("BUNDLE_REGISTRY_AUTH", { ref, detail });
  if (statusCode !== 429) return new LandfallError("BUNDLE_REGISTRY", { ref, detail });
  const seconds = Number(headers["retry-after"]);
  return new LandfallError("BUNDLE_REGISTRY_BUSY", { ref, seconds: Number.isFinite(seconds) ? seconds : 0 });
}

/** undici's errors have their code themselves or in their cause. */
function codeOf(error: Error): string {
  const found = [error, error.cause].find(
    (one) => one instanceof Error && "code" in one && typeof one.code === "string",
  ) as { code: string } | undefined;
  return error.name === "TimeoutError" ? "ETIMEDOUT" : (found?.code ?? "");
}

/** Converts a registry error to an error with a code; `text` is the body of the answer. */
export function registryFailure(ref: string, what: unknown, text = ""): LandfallError {
  if (what instanceof LandfallError) return what;
  if (isRefusal(what)) return refused(ref, what, text);
  const error = toError(what);
  const code = codeOf(error);
  const detail = code === "" ? error.message : `${code} ${error.message}`.trim();
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER")
    return new LandfallError("BUNDLE_REGISTRY_AWAY", { ref, detail: "it speaks no TLS (--plain-http)" }, error);
  if (TLS.test(code)) return new LandfallError("BUNDLE_REGISTRY_TLS", { ref, detail }, error);
  if (SLOW.has(code)) return new LandfallError("BUNDLE_REGISTRY_SLOW", { ref }, error);
  return new LandfallError("BUNDLE_REGISTRY_AWAY", { ref, detail }, error);
}
