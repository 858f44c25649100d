import type { AdmissionRequest } from "../../src/admission/types.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import { LandfallError } from "../../src/errors.ts";
import { isObject, textOf } from "../../src/model/json.ts";
import { API_VERSION, isKind, COMPOSITION_GROUP } from "../../src/model/names.ts";

/** A parsed review; `request` is null for an operation that is always allowed. */
export type Review = { uid: string; dryRun: boolean; request: AdmissionRequest | null };

/** Of `composition.krateo.io`. */
export const VERSION = /^v\d+-\d+-\d+(-[a-z0-9-]+)?$/;

function notAReview(detail: string): never {
  throw new LandfallError("ADM_NOT_A_REVIEW", { detail });
}

function isWorkload(value: unknown): value is WorkloadObject {
  if (!isObject(value) || !isObject(value["metadata"])) return false;
  const { name, generateName, namespace } = value["metadata"];
  if ([name, generateName, namespace].some((text) => text !== undefined && typeof text !== "string")) return false;
  return true;
}

/** The API server checks the schema of a spec only after the webhooks. */
function checkSpec(uid: string, { spec }: { spec?: unknown }): void {
  if (spec === undefined || isObject(spec)) return;
  const params = {
    ...{ field: "spec", given: "", detail: spec === null ? "has no value" : "is not a map" },
    correction: "write its fields below it, e.g. spec: {cpu: 2, memory: 4}",
  };
  throw new UnanswerableReview(uid, new LandfallError("ADM_SCHEMA", params));
}

/** Thrown for a review of something that Landfall does not decide; its `uid` allows an answer. */
export class UnanswerableReview extends Error {
  readonly uid: string;
  readonly reason: LandfallError;

  constructor(uid: string, reason: LandfallError) {
    super(reason.message);
    this.uid = uid;
    this.reason = reason;
  }
}

function readKind(uid: string, kind: unknown): AdmissionRequest["kind"] {
  const { group, version, kind: name } = isObject(kind) ? kind : {};
  const shown = `${textOf(group)}/${textOf(version)} ${textOf(name)}`;
  if (group !== COMPOSITION_GROUP || typeof name !== "string" || !isKind(name)) {
    throw new UnanswerableReview(uid, new LandfallError("ADM_UNKNOWN_KIND", { kind: shown }));
  }
  if (typeof version !== "string" || !VERSION.test(version)) {
    const params = {
      kind: name,
      version: textOf(version),
      known: `${API_VERSION} or an earlier version`,
    };
    throw new UnanswerableReview(uid, new LandfallError("ADM_UNKNOWN_VERSION", params));
  }
  return name;
}

function readObject(uid: string, request: Record<string, unknown>, key: "object" | "oldObject"): WorkloadObject {
  const value = request[key];
  if (!isWorkload(value)) {
    const detail = `request.${key} is not an object with metadata and spec`;
    throw new UnanswerableReview(uid, new LandfallError("ADM_NOT_A_REVIEW", { detail }));
  }
  checkSpec(uid, value);
  // The object of a CREATE may lack the namespace that the request names.
  const namespace = request["namespace"];
  // The rules are those of the object's namespace: it has to be the one where the API server stores it.
  if (typeof namespace === "string" && (value.metadata.namespace ?? namespace) !== namespace) {
    const detail = `request.${key} is of another namespace than the request`;
    throw new UnanswerableReview(uid, new LandfallError("ADM_NOT_A_REVIEW", { detail }));
  }
  if (value.metadata.namespace !== undefined || typeof namespace !== "string") return value;
  return { ...value, metadata: { ...value.metadata, namespace } };
}

const readUser = (info: unknown): string =>
  isObject(info) && typeof info["username"] === "string" ? info["username"] : "";

/** Parses a body. Throws ADM_NOT_A_REVIEW (there is no review to answer) or `UnanswerableReview` (answered by a denial). */
export function readReview(body: unknown): Review {
  if (!isObject(body)) notAReview("it is not a JSON object");
  if (body["kind"] !== "AdmissionReview" || body["apiVersion"] !== "admission.k8s.io/v1") {
    notAReview(`it is ${textOf(body["apiVersion"])} ${textOf(body["kind"])}`);
  }
  const request = body["request"];
  if (!isObject(request) || typeof request["uid"] !== "string") notAReview("it has no request with a uid");
  const { uid, operation } = request;
  const dryRun = request["dryRun"] === true;
  if (operation !== "CREATE" && operation !== "UPDATE") return { uid: uid, dryRun, request: null };
  const kind = readKind(uid, request["kind"]);
  const object = readObject(uid, request, "object");
  const oldObject = operation === "UPDATE" ? readObject(uid, request, "oldObject") : null;
  return {
    uid,
    dryRun,
    request: { uid, operation, kind, object, oldObject, user: readUser(request["userInfo"]), dryRun },
  };
}
