import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import { readDecided } from "../../../src/external-data/read-decided.ts";
import type { Authentication } from "../../../src/model/caller.ts";
import { confirmationOf } from "../../../src/model/decision-annotation/standing.ts";
import { type KeyRing, ringOf } from "../../../src/model/decision-annotation/key-ring.ts";
import { parseSignature } from "../../../src/model/decision-annotation/signature.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import { type AnsweredReply, makeAnswers } from "../../../webhook/decisions/process/make-answers.ts";
import jsonPatch, { type Operation } from "fast-json-patch";
import { NOW, reviewOf } from "../admission.ts";

export interface Asked {
  reply: AnsweredReply;
  allowed: boolean;
  message: string;
  /** The object with the patch. */
  object: WorkloadObject;
}

/** What a signature is for; null without one. */
export const useOf = ({ metadata }: WorkloadObject): string | null =>
  parseSignature(metadata.annotations?.[ANNOTATION.seal] ?? "")?.use ?? null;

interface Response {
  allowed: boolean;
  patch?: string;
  status?: { message: string };
}

/** A webhook with a cluster in memory, whose callers are authenticated as given. */
export function authenticatingWebhook(policy: LoadedBundle, annotations: Record<string, string> = {}) {
  const clusterData = createClusterData();
  const clock = { nowSeconds: NOW };
  const keys: KeyRing = ringOf(Buffer.alloc(32, 7));
  clusterData.apply({ type: "seen", at: NOW });
  clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
  const answer = makeAnswers({
    ...{ policy, clusterData, nowSeconds: () => clock.nowSeconds, forecasts: () => null, keys: () => keys },
  });

  function ask(
    path: "/mutate" | "/validate",
    authentication: Authentication,
    object: WorkloadObject,
    fields: object = {},
  ): Asked {
    const reply = answer(path, reviewOf(object, { ...fields }), { authentication });
    const { response } = JSON.parse(reply.body) as { response: Response };
    const patch = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString() || "[]") as Operation[];
    const patched = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch).newDocument as WorkloadObject;
    return { reply, allowed: response.allowed, message: response.status?.message ?? "", object: patched };
  }

  return {
    ...{ clusterData, clock, keys, ask },
    create: (authentication: Authentication, object: WorkloadObject, fields: object = {}) =>
      ask("/mutate", authentication, object, fields),
    update: (authentication: Authentication, oldObject: WorkloadObject, object: WorkloadObject) =>
      ask("/mutate", authentication, object, { operation: "UPDATE", oldObject }),
    guard: (authentication: Authentication, object: WorkloadObject, oldObject: WorkloadObject | null = null) =>
      ask("/validate", authentication, object, oldObject === null ? {} : { operation: "UPDATE", oldObject }),
    /** The API server stores it, and the informer sees it. */
    store: (object: WorkloadObject, uid: string): WorkloadObject => {
      const stored = { ...object, metadata: { ...object.metadata, uid, creationTimestamp: "2026-11-20T22:00:00Z" } };
      const { namespace = "", name = "" } = stored.metadata;
      const of = { uid, run: "" };
      const key = `VmTemplate/${namespace}/${name}`;
      clusterData.apply({ type: "workload", key, ...readDecided(keys, "VmTemplate", stored), of });
      return stored;
    },
    /** What the leading controller sends for an object that it sees. */
    confirming: (object: WorkloadObject, at = clock.nowSeconds): WorkloadObject => {
      const annotations = { ...object.metadata.annotations, [ANNOTATION.confirm]: confirmationOf(keys, object, at) };
      return { ...object, metadata: { ...object.metadata, annotations } };
    },
  };
}
