import { timingSafeEqual } from "node:crypto";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Registry } from "prom-client";
import { guardListener } from "../../src/cluster/service/guard-listener.ts";
import { sharePage } from "../../src/cluster/service/share-page.ts";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import type { Caller } from "../../src/model/caller.ts";
import { sha256 } from "../../src/model/sha256.ts";
import { errorReply, type NoteAdmission, type Reply, type ReviewPath, refuseReview } from "../review/answer-review.ts";
import { refuseLarge } from "../review/refuse-large.ts";
import { type ReviewScan, scanReview } from "../review/scan-review.ts";
import { callerOf, enter } from "../authentication/authenticate-requests.ts";
import { CERTIFICATE_ONLY, type Authenticator, createAuthenticator } from "../authentication/create-authenticator.ts";
import { showsCertificate } from "../authentication/authenticate.ts";
import type { ReadToken } from "../follow-token-file.ts";
import { type Drain, drainConnections, GRACE_MS } from "./drain-connections.ts";
import { LISTENER_LIMITS, limitUnauthenticated, type UnauthenticatedLimit } from "./limit-unauthenticated.ts";
import { BODY_LIMIT, type ReceivedBody, receiveBody } from "./receive-body.ts";
import { table } from "../../src/model/table.ts";

export interface WebhookDeps {
  /** Answers the text of an AdmissionReview; `scan` is what was read of it so far. */
  ask: (path: ReviewPath, body: string, scan: ReviewScan, caller: Caller) => Promise<Reply>;
  /** The content of /status; while `ready` is false, /readyz fails and says why if `notReady` does. */
  status: () => { ready: boolean; notReady?: string | null } & Record<string, unknown>;
  /** Counts each answer to a review; not counted if omitted. */
  noteAdmission?: NoteAdmission;
  /** The content of /metrics. */
  metrics: Pick<Registry, "contentType" | "metrics">;
  /** Looks for a new bundle now, for callers that show the token; null disables the route. */
  poll: { token: ReadToken; now: () => Promise<void> } | null;
  /**
   * `clientName`: the common name in the API server's certificate. The CA may have other clients, which get no decisions. Both are empty
   * if no certificate is expected.
   */
  tls: { key: string; cert: string; clientCa: string; clientName: string };
  /** Who is answered; only the API server's certificate if omitted. */
  authenticator?: Authenticator;
  /** Bearer token that /status and /metrics need; null or omitted: they answer this machine only. */
  statusToken?: ReadToken | null;
  /** Ends the connections when the app closes. */
  drain?: Drain;
  logger: FastifyBaseLogger;
}

export type WebhookApp = FastifyInstance<Server>;

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

function send(reply: FastifyReply, { status, body }: Reply): FastifyReply {
  return reply.status(status).header("content-type", "application/json; charset=utf-8").send(body);
}

/**
 * A review that is too large is denied with HTTP 200: with another status, the API server would take the webhook for failed,
 * and with `failurePolicy: Ignore` the object would pass.
 */
async function answer(
  { text, whole }: ReceivedBody,
  path: ReviewPath,
  caller: Caller,
  deps: WebhookDeps,
): Promise<Reply> {
  const scan = scanReview(text);
  const large = whole ? refuseLarge(scan) : new LandfallError("ADM_BODY_TOO_LARGE", { limit: BODY_LIMIT });
  if (large === null) return deps.ask(path, text, scan, caller);
  if (scan.uid === null) throw large;
  return refuseReview(scan.uid, large);
}

/** The trace that the API server counts this review to. Others could choose what is traced. */
function traceOf({ headers: { traceparent } }: FastifyRequest, { authentication }: Caller): string | undefined {
  return authentication === "none" || typeof traceparent !== "string" ? undefined : traceparent;
}

function addReviewRoute(
  app: WebhookApp,
  path: ReviewPath,
  deps: WebhookDeps,
  { authenticator, unauthenticated }: { authenticator: Authenticator; unauthenticated: UnauthenticatedLimit },
): void {
  app.post(path, { onRequest: enter(authenticator, BODY_LIMIT) }, async (request, reply) => {
    const received = (request.body ?? { text: "", whole: true }) as ReceivedBody;
    const caller = callerOf(request);
    if (caller.authentication === "token") unauthenticated.trust(request.socket);
    const beganAt = performance.now();
    const answered = await answer(received, path, caller, deps);
    deps.noteAdmission?.(path, answered, (performance.now() - beganAt) / 1000, traceOf(request, caller));
    if (answered.log !== null) deps.logger.info(answered.log, "admission");
    return send(reply, answered);
  });
}

const STATUS: Partial<Record<string, number>> = table({
  ADM_CLIENT_CERTIFICATE: 403,
  ADM_NOT_AUTHENTICATED: 403,
  ADM_SOURCE_BUSY: 429,
  ADM_BODY_TOO_LARGE: 413,
  ADM_NOT_A_REVIEW: 400,
});

/** Fastify's own errors with codes of src/errors.ts. */
function named(error: Error & { code?: string }): LandfallError {
  if (error.code?.startsWith("FST_ERR_CTP") === true)
    return new LandfallError("ADM_NOT_A_REVIEW", { detail: error.message });
  return asLandfallError(error);
}

function addErrors(app: WebhookApp): void {
  app.setErrorHandler((error: Error, _request, reply) => {
    const known = named(error);
    return send(reply, errorReply(known, STATUS[known.code] ?? 500));
  });
}

/** Answers a request to an unknown path before its body is read, which Fastify would read first: anyone can send one. */
function endUnknown(app: WebhookApp): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404) void reply.status(404).header("connection", "close").send("there is nothing at this path\n");
    else done();
  });
}

const hash = (text: string): Buffer => Buffer.from(sha256(text), "hex");

/** Answers 401 to callers without the token. */
function bearerToken(token: ReadToken): Hook {
  return (request, reply, done) => {
    void token().then((known) => {
      // Compared by their hashes, in constant time.
      if (timingSafeEqual(hash(request.headers.authorization ?? ""), hash(`Bearer ${known}`))) done();
      else void reply.status(401).send("a bearer token is needed\n");
    });
  };
}

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/** Answers 403 to callers of other machines; `kubectl port-forward` calls from the Pod itself. */
const thisMachine: Hook = (request, reply, done) => {
  if (LOOPBACK.test(request.socket.remoteAddress ?? "")) done();
  else void reply.status(403).send("only this machine is answered; --status-token-file lets others ask\n");
};

/** Anyone may ask for these: they are made at most once in so many ms. */
const SHARED_MS = { readiness: 100, metrics: 1000 } as const;

function addHealthRoutes(app: WebhookApp, deps: WebhookDeps, drain: Drain): void {
  const readiness = sharePage(SHARED_MS.readiness, () => {
    const { ready, notReady } = deps.status();
    return { ready, notReady };
  });
  app.get("/healthz", () => "ok");
  app.get("/readyz", (_request, reply) => {
    if (drain.hasBegun()) return reply.status(503).send("not ready: the process is ending");
    const { ready, notReady } = readiness();
    const why = notReady ?? "no policy bundle has answered yet";
    return reply.status(ready ? 200 : 503).send(ready ? "ok" : `not ready: ${why}`);
  });
  const onRequest = deps.statusToken == null ? thisMachine : bearerToken(deps.statusToken);
  app.get("/status", { onRequest }, () => deps.status());
  const { metrics } = deps;
  const page = sharePage(SHARED_MS.metrics, () => metrics.metrics());
  app.get("/metrics", { onRequest }, async (_request, reply) => reply.type(metrics.contentType).send(await page()));
}

/** For a registry's own webhook. Its body is not read, because the registry is asked anyway. */
function addPollRoute(app: WebhookApp, { poll }: WebhookDeps): void {
  if (poll === null) return;
  app.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.post("/bundle/poll", { onRequest: bearerToken(poll.token) }, async (_request, reply) => {
    await poll.now();
    return reply.status(200).send("asked\n");
  });
}

/** Whether clients are asked for a certificate: an empty CA means none. */
const requestsOf = (clientCa: string): { ca?: string; requestCert?: true; rejectUnauthorized?: false } =>
  clientCa === "" ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };

/** A TLS handshake has to end within this time, in ms. */
const HANDSHAKE_MS = 10_000;
/** In the modes that accept everyone, a request has to arrive within this time, in ms. */
const REQUEST_MS = 20_000;
/**
 * How long an authenticated peer may keep a connection without a request, in ms. Go's client closes it after 90 s (net/http,
 * `IdleConnTimeout`). It has to come first: a server that closes may meet a request that is on its way, which then fails.
 */
const IDLE_MS = 100_000;

/** The webhook's routes over TLS 1.3, not yet listening. `/mutate` and `/validate` answer who authenticates as the mode asks. */
export function buildApp(deps: WebhookDeps): WebhookApp {
  const { key, cert, clientCa, clientName } = deps.tls;
  const authenticator = deps.authenticator ?? createAuthenticator(CERTIFICATE_ONLY, clientName);
  const isOpen = authenticator.mode === "none" || authenticator.mode === "auto";
  const app: WebhookApp = fastify({
    https: {
      ...{ key, cert, ...requestsOf(clientCa), minVersion: "TLSv1.3", handshakeTimeout: HANDSHAKE_MS },
      // A connection on which nothing came yet counts as one that waits for headers.
      ...(isOpen ? {} : { headersTimeout: IDLE_MS }),
    },
    ...(isOpen ? { requestTimeout: REQUEST_MS } : {}),
    keepAliveTimeout: IDLE_MS,
    // Until the last connection has ended, its requests are answered.
    return503OnClosing: false,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: "idle",
    loggerInstance: deps.logger,
    // Each line has the review's uid: a logger for each request would cost more than the line.
    childLoggerFactory: (logger) => logger,
  });
  const isKnown = (socket: Socket): boolean => clientName !== "" && showsCertificate(socket as TLSSocket, clientName);
  const keepAlive = authenticator.mode !== "client-certificate";
  const limits = LISTENER_LIMITS[keepAlive ? "keeping" : "closing"];
  guardListener(app.server, { event: "secureConnection", limits, isTrusted: isKnown });
  // The body stays a text: the decision process parses it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (_request: unknown, payload: Readable) => receiveBody(payload));
  addErrors(app);
  endUnknown(app);
  const drain = deps.drain ?? drainConnections();
  drain.follow(app.server);
  addHealthRoutes(app, deps, drain);
  addPollRoute(app, deps);
  const unauthenticated = limitUnauthenticated(app.server, { isKnown, keepAlive });
  app.addHook("preClose", async () => {
    drain.begin();
    await drain.endIdle();
    setTimeout(unauthenticated.end, GRACE_MS).unref();
  });
  addReviewRoute(app, "/mutate", deps, { authenticator, unauthenticated });
  addReviewRoute(app, "/validate", deps, { authenticator, unauthenticated });
  return app;
}
