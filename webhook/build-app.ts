import type { KeyObject } from "node:crypto";
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
import { admit } from "../src/admission/admit.ts";
import { guard } from "../src/admission/guard.ts";
import type { AdmissionRequest, Outcome } from "../src/admission/outcome.ts";
import type { LoadedBundle } from "../src/policy/loaded-bundle.ts";
import { LandfallError, messageOf } from "../src/errors.ts";
import type { NamespaceFacts } from "../src/model/kubernetes.ts";
import { readReview, type Review, UnanswerableReview } from "./read-review.ts";
import { writeReview } from "./write-review.ts";

/** An AdmissionReview holds object and old object, each of at most 3 MiB in etcd's reach. */
const BODY_LIMIT = 7 * 1024 * 1024;

export interface WebhookDeps {
  /** The bundle that answers now; null before the first one is loaded. */
  policy: () => LoadedBundle | null;
  namespace: (name: string) => NamespaceFacts;
  /** Seconds since 1970. */
  now: () => number;
  sealKey: KeyObject;
  /** What /status shows besides; `ready` false keeps traffic away. */
  status: () => { ready: boolean } & Record<string, unknown>;
  tls: { key: string; cert: string; clientCa: string };
  logger: FastifyBaseLogger;
}

export type WebhookApp = FastifyInstance<Server>;
type Answer = (request: AdmissionRequest) => Outcome;

function refusal(error: LandfallError): Outcome {
  return { allowed: false, message: error.line, codes: [error.code], decision: null };
}

/** Whatever goes wrong inside is a denial with a code: the user then reads our text and not the API server's. */
function answered(answer: Answer, request: AdmissionRequest): Outcome {
  try {
    return answer(request);
  } catch (thrown) {
    if (thrown instanceof LandfallError) return refusal(thrown);
    return refusal(new LandfallError("ADM_INTERNAL", { detail: messageOf(thrown) }, thrown));
  }
}

function mutation(deps: WebhookDeps): Answer {
  return (request) => {
    const policy = deps.policy();
    if (policy === null) return refusal(new LandfallError("BUNDLE_NONE"));
    const namespace = deps.namespace(request.object.metadata.namespace ?? "default");
    return admit(request, { policy, namespace, now: deps.now(), sealKey: deps.sealKey });
  };
}

function requireClientCertificate(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if ((request.raw.socket as TLSSocket).authorized) done();
  else done(new LandfallError("ADM_CLIENT_CERTIFICATE"));
}

function review(body: unknown): Review | { uid: string; refused: Outcome } {
  try {
    return readReview(body);
  } catch (thrown) {
    if (thrown instanceof UnanswerableReview) return { uid: thrown.uid, refused: refusal(thrown.reason) };
    throw thrown;
  }
}

function logOutcome(
  request: FastifyRequest,
  admission: AdmissionRequest,
  outcome: Outcome,
  milliseconds: number,
): void {
  const { kind, operation, uid, object } = admission;
  const { name, namespace } = object.metadata;
  const decision = outcome.decision?.id;
  const codes = outcome.allowed ? undefined : outcome.codes;
  const ms = Math.round(milliseconds * 100) / 100;
  request.log.info(
    { uid, kind, operation, namespace, name, allowed: outcome.allowed, codes, decision, ms },
    "admission",
  );
}

function addReviewRoute(app: WebhookApp, path: string, answer: Answer): void {
  app.post(path, { onRequest: requireClientCertificate }, (request) => {
    const began = performance.now();
    const read = review(request.body);
    if ("refused" in read) return writeReview(read.uid, read.refused);
    if (read.request === null) return writeReview(read.uid, { allowed: true, patch: [], warnings: [], decision: null });
    const outcome = answered(answer, read.request);
    logOutcome(request, read.request, outcome, performance.now() - began);
    return writeReview(read.uid, outcome);
  });
}

const STATUS: Partial<Record<string, number>> = {
  ADM_CLIENT_CERTIFICATE: 403,
  ADM_BODY_TOO_LARGE: 413,
  ADM_NOT_A_REVIEW: 400,
};

function asLandfallError(error: { code?: string; message: string }): LandfallError {
  if (error instanceof LandfallError) return error;
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new LandfallError("ADM_BODY_TOO_LARGE", { limit: BODY_LIMIT });
  if (error.code?.startsWith("FST_ERR_CTP") === true)
    return new LandfallError("ADM_NOT_A_REVIEW", { detail: error.message });
  return new LandfallError("ADM_INTERNAL", { detail: error.message }, error);
}

function addErrors(app: WebhookApp): void {
  app.setErrorHandler((error: Error, _request, reply) => {
    const known = asLandfallError(error);
    const body = { code: known.code, message: known.message, remedy: known.remedy };
    return reply.status(STATUS[known.code] ?? 500).send(body);
  });
}

function addHealthRoutes(app: WebhookApp, deps: WebhookDeps): void {
  app.get("/healthz", () => "ok");
  app.get("/readyz", (_request, reply) => {
    const { ready } = deps.status();
    return reply.status(ready ? 200 : 503).send(ready ? "ok" : "not ready: no policy bundle has answered yet");
  });
  app.get("/status", () => deps.status());
}

/** The webhook's routes over TLS 1.3, not yet listening. `/mutate` and `/validate` want the API server's certificate. */
export function buildApp(deps: WebhookDeps): WebhookApp {
  const { key, cert, clientCa } = deps.tls;
  const app: WebhookApp = fastify({
    https: { key, cert, ca: clientCa, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.3" },
    bodyLimit: BODY_LIMIT,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: "idle",
    loggerInstance: deps.logger,
    // Every line names the review by its own uid: a logger for each request would cost more than the line.
    childLoggerFactory: (logger) => logger,
  });
  // The body is parsed and left alone: fastify's own validators would coerce it, and a patch made of that would be wrong.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, JSON.parse(String(body)));
    } catch (thrown) {
      done(new LandfallError("ADM_NOT_A_REVIEW", { detail: messageOf(thrown) }, thrown));
    }
  });
  addErrors(app);
  addHealthRoutes(app, deps);
  addReviewRoute(app, "/mutate", mutation(deps));
  addReviewRoute(app, "/validate", (request) => guard(request, deps));
  return app;
}
