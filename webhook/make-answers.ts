import type { KeyObject } from "node:crypto";
import { admit } from "../src/admission/admit.ts";
import { guard } from "../src/admission/guard.ts";
import { LandfallError } from "../src/errors.ts";
import type { NamespaceFacts } from "../src/model/kubernetes.ts";
import type { LoadedBundle } from "../src/policy/loaded-bundle.ts";
import { answerReview, refusal, type Reply, type ReviewPath } from "./answer-review.ts";

/** What decisions are made of, whatever thread they are made on. */
export interface AnswerDeps {
  /** The bundle that answers; null before the first one is loaded. */
  policy: LoadedBundle | null;
  namespace: (name: string) => NamespaceFacts;
  /** Seconds since 1970. */
  now: () => number;
  sealKey: KeyObject;
}

/** The answers of both webhooks: path and body in, HTTP answer out. Synchronous. */
export function makeAnswers(deps: AnswerDeps): (path: ReviewPath, body: string) => Reply {
  const { policy, sealKey } = deps;
  return (path, body) => {
    if (path === "/validate") return answerReview(body, (request) => guard(request, { sealKey }));
    return answerReview(body, (request) => {
      if (policy === null) return refusal(new LandfallError("BUNDLE_NONE"));
      const namespace = deps.namespace(request.object.metadata.namespace ?? "default");
      return admit(request, { policy, namespace, now: deps.now(), sealKey });
    });
  };
}
