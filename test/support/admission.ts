import jsonPatch, { type Operation } from "fast-json-patch";
import type { AdmissionContext, AdmissionRequest, Outcome } from "../../src/admission/types.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import type { DecisionOwners } from "../../src/model/decision-annotation/standing.ts";
import { type SignedCommand, signCommand } from "../../src/model/decision-annotation/command.ts";
import { readDecision } from "../../src/model/decision-annotation/compact-decision.ts";
import { ANNOTATION, ANOTHER_SIZE, ANOTHER_ZONE } from "../../src/model/names.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import { ringOf } from "../../src/model/decision-annotation/key-ring.ts";

/** 2026-11-20T22:00:00Z, a Friday. */
export const NOW = 1_795_212_000;

export function vm(spec: Record<string, unknown>, metadata: Partial<WorkloadObject["metadata"]> = {}): WorkloadObject {
  return {
    apiVersion: "composition.krateo.io/v0-1-0",
    kind: "VmTemplate",
    metadata: { name: "web", namespace: "demo", ...metadata },
    spec,
  };
}

export const KEYS = ringOf(Buffer.alloc(32, 7));

function asking(object: WorkloadObject, command: SignedCommand, lacks: string, nowSeconds: number): WorkloadObject {
  const { uid = "", annotations } = object.metadata;
  const wish = signCommand(KEYS, command, { uid, lacks }, nowSeconds);
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [ANNOTATION.reevaluate]: wish } },
  };
}

/** The object, for whose type its controller says that the provider has no machine. */
export const askingSize = (object: WorkloadObject, nowSeconds: number): WorkloadObject =>
  asking(object, ANOTHER_SIZE, readDecision(object)?.placement.instanceType ?? "", nowSeconds);

/** The object, for whose zone its controller says it. */
export const askingZone = (object: WorkloadObject, nowSeconds: number): WorkloadObject =>
  asking(object, ANOTHER_ZONE, readDecision(object)?.placement.zone ?? "", nowSeconds);

/** Nothing is known of earlier decisions. */
export const NO_OWNERS: DecisionOwners = {
  ownerOf: () => null,
  latestOf: () => 0,
  isInstalled: () => false,
  recordedSpecs: () => [],
  runOf: () => "none",
  recordedRunOf: () => null,
  timesOf: () => null,
  beganOf: () => null,
  lacksMachine: () => false,
  runningOf: () => [],
  isUnderway: () => false,
};
/** Every object has a release in its place. */
export const INSTALLED: DecisionOwners = { ...NO_OWNERS, isInstalled: () => true, recordedSpecs: () => [null] };

export function context(policy: LoadedBundle, nowSeconds = NOW, owners = INSTALLED): AdmissionContext {
  return {
    owners,
    policy,
    namespace: { name: "demo", labels: {}, annotations: {} },
    nowSeconds,
    relatedWorkloads: null,
    keys: KEYS,
  };
}

export const create = (object: WorkloadObject): AdmissionRequest => ({
  uid: "1",
  operation: "CREATE",
  kind: "VmTemplate",
  object,
  oldObject: null,
});

export const update = (oldObject: WorkloadObject, object: WorkloadObject): AdmissionRequest => ({
  uid: "2",
  operation: "UPDATE",
  kind: "VmTemplate",
  object,
  oldObject,
});

/** The text of the AdmissionReview that the API server would send for the creation of an object; `fields` of its request differ. */
export function reviewOf(object: WorkloadObject, fields: Record<string, unknown> = {}): string {
  const [group, version] = object.apiVersion.split("/");
  const request = {
    ...{ uid: "1", operation: "CREATE", kind: { group, version, kind: object.kind } },
    ...{ namespace: object.metadata.namespace, object },
    ...fields,
  };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

/** The object as the API server would store it. Throws on a denial, so that a test cannot continue without an object. */
export function patched(object: WorkloadObject, outcome: Outcome): WorkloadObject {
  if (!outcome.allowed) throw new TypeError(`denied: ${outcome.message}`);
  const result: unknown = jsonPatch.applyPatch(jsonPatch.deepClone(object), outcome.patch as Operation[]).newDocument;
  return result as WorkloadObject;
}
