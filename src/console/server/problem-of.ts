import { ApiError, hasStatus } from "../../cluster/client/api-error.ts";
import { asLandfallError, LandfallError, messageOf } from "../../errors.ts";
import type { Problem } from "../contract/problem.ts";

type Kind = Problem["kind"];

const STATUS: Readonly<Record<Kind, number>> = {
  session: 401,
  forbidden: 403,
  credentials: 403,
  away: 503,
  busy: 429,
  absent: 404,
  request: 400,
  command: 422,
  failed: 500,
};

const BY_CODE: Readonly<Partial<Record<LandfallError["code"], Kind>>> = {
  CONSOLE_SESSION: "session",
  CONSOLE_TOKEN: "session",
  CONSOLE_ORIGIN: "forbidden",
  CONSOLE_SITE: "forbidden",
  CONSOLE_NO_TOKEN: "session",
  CONSOLE_REQUEST: "request",
  CONSOLE_MANIFEST: "request",
  CONSOLE_REFUSED: "request",
  CONSOLE_TRIAL: "request",
  CONSOLE_BUSY: "request",
  CONSOLE_COMMAND: "command",
  CONSOLE_AGAIN: "busy",
  CONSOLE_ABSENT: "absent",
  CLI_KIND: "absent",
  REL_PATH: "request",
  REL_WATCH: "away",
};

const OF_API_SERVER: Readonly<Record<number, Kind>> = {
  0: "away",
  401: "credentials",
  403: "forbidden",
  404: "absent",
  429: "busy",
  // Of an API server that starts or stops, or of a load balancer in front of it.
  502: "away",
  503: "away",
  504: "away",
};

/** Remedies of refusals by the API server. Those of its codes are for controllers and commands. */
const REMEDY: Readonly<Partial<Record<Kind, string>>> = {
  forbidden: "choose a namespace that you may read, or ask for the right that the message names",
  away: "nothing to do if it passes; otherwise see whether the API server can be reached from where the console runs",
  credentials: "renew the credentials of your kubeconfig or sign in again, then load this page again",
  absent: "choose it from Objects: it may have been deleted",
};

/** fastify's own errors about a request say so. */
const isOfRequest = (thrown: unknown): boolean => {
  const { statusCode } = thrown as { statusCode?: unknown };
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
};

/** When to ask again if the API server does not say it, in seconds. */
const AGAIN_SECONDS = 1;

/** The words of the API server, without the part that names the webhook. */
export const saidBy = ({ detail }: ApiError): string =>
  detail.replace(/^admission webhook "[^"]{1,253}" denied the request: /, "");

function coded(thrown: unknown): LandfallError {
  if (hasStatus(thrown, 429)) {
    const { retryAfterSeconds } = thrown;
    return new LandfallError(
      "CONSOLE_AGAIN",
      { detail: saidBy(thrown), seconds: retryAfterSeconds ?? AGAIN_SECONDS },
      thrown,
    );
  }
  if (!(thrown instanceof LandfallError) && thrown instanceof Error && isOfRequest(thrown))
    return new LandfallError("CONSOLE_REQUEST", { detail: messageOf(thrown) }, thrown);
  return asLandfallError(thrown);
}

/** The part of a failure that a page gets to know, and the HTTP status. */
export function problemOf(thrown: unknown): { status: number; problem: Problem } {
  const error = coded(thrown);
  const ofServer = thrown instanceof ApiError ? (OF_API_SERVER[thrown.status] ?? "failed") : undefined;
  const kind = ofServer ?? BY_CODE[error.code] ?? "failed";
  const { code, message, params } = error;
  const remedy = (ofServer === undefined ? undefined : REMEDY[kind]) ?? error.remedy;
  const againSeconds = error.code === "CONSOLE_AGAIN" ? Number(params["seconds"]) : null;
  return { status: STATUS[kind], problem: { kind, code, message, remedy, againSeconds } };
}
