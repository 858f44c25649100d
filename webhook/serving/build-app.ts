import { timingSafeEqual } from "node:crypto";
import type { Server } from "node:https";
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
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import { sha256 } from "../../src/model/sha256.ts";
import { errorReply, type Reply, type ReviewPath } from "../review/answer-review.ts";

/** An AdmissionReview holds object and old object, each of at most 3 MiB, the limit of a request to the API server. */
const BODY_LIMIT = 7 * 1024 * 1024;

export interface WebhookDeps {
  /** Answers the text of an AdmissionReview. */
  ask: (path: ReviewPath, body: string) => Promise<Reply>;
  /** What /status shows; while `ready` is false, /readyz fails. */
  status: () => { ready: boolean } & Record<string, unknown>;
  /** What /metrics shows. */
  metrics: Pick<Registry, "contentType" | "metrics">;
  /** Looks for a new bundle now, for callers that show the token; null disables the route. */
  poll: { token: string; now: () => Promise<void> } | null;
  tls: { key: string; cert: string; clientCa: string };
  logger: FastifyBaseLogger;
}

export type WebhookApp = FastifyInstance<Server>;

function requireClientCertificate(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if ((request.raw.socket as TLSSocket).authorized) done();
  else done(new LandfallError("ADM_CLIENT_CERTIFICATE"));
}

function send(reply: FastifyReply, { status, body }: Reply): FastifyReply {
  return reply.status(status).header("content-type", "application/json; charset=utf-8").send(body);
}

function addReviewRoute(app: WebhookApp, path: ReviewPath, deps: WebhookDeps): void {
  app.post(path, { onRequest: requireClientCertificate }, async (request, reply) => {
    const answer = await deps.ask(path, typeof request.body === "string" ? request.body : "");
    if (answer.log !== null) deps.logger.info(answer.log, "admission");
    return send(reply, answer);
  });
}

const STATUS: Partial<Record<string, number>> = {
  ADM_CLIENT_CERTIFICATE: 403,
  ADM_BODY_TOO_LARGE: 413,
  ADM_NOT_A_REVIEW: 400,
};

/** Fastify's own errors with codes of src/errors.ts. */
function named(error: Error & { code?: string }): LandfallError {
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new LandfallError("ADM_BODY_TOO_LARGE", { limit: BODY_LIMIT });
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

function addHealthRoutes(app: WebhookApp, deps: WebhookDeps): void {
  app.get("/healthz", () => "ok");
  app.get("/readyz", (_request, reply) => {
    const { ready } = deps.status();
    return reply.status(ready ? 200 : 503).send(ready ? "ok" : "not ready: no policy bundle has answered yet");
  });
  app.get("/status", () => deps.status());
  const { metrics } = deps;
  app.get("/metrics", async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}

const hash = (text: string): Buffer => Buffer.from(sha256(text), "hex");

/** For a registry's own webhook. Its body is not read, because the registry is asked anyway. */
function addPollRoute(app: WebhookApp, { poll }: WebhookDeps): void {
  if (poll === null) return;
  const wanted = hash(`Bearer ${poll.token}`);
  app.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.post("/bundle/poll", async (request, reply) => {
    // Compared by their hashes, in constant time.
    if (!timingSafeEqual(hash(request.headers.authorization ?? ""), wanted))
      return reply.status(401).send("a bearer token is needed\n");
    await poll.now();
    return reply.status(200).send("asked\n");
  });
}

/** The webhook's routes over TLS 1.3, not yet listening. `/mutate` and `/validate` require the API server's certificate. */
export function buildApp(deps: WebhookDeps): WebhookApp {
  const { key, cert, clientCa } = deps.tls;
  const app: WebhookApp = fastify({
    https: { key, cert, ca: clientCa, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.3" },
    bodyLimit: BODY_LIMIT,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: "idle",
    loggerInstance: deps.logger,
    // Each line has the review's uid: a logger for each request would cost more than the line.
    childLoggerFactory: (logger) => logger,
  });
  // The body stays a text: the decision thread parses it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
    done(null, body);
  });
  addErrors(app);
  addHealthRoutes(app, deps);
  addPollRoute(app, deps);
  addReviewRoute(app, "/mutate", deps);
  addReviewRoute(app, "/validate", deps);
  return app;
}
