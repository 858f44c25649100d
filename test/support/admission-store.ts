import { randomUUID } from "node:crypto";
import jsonPatch, { type Operation } from "fast-json-patch";
import { createClusterData } from "../../src/external-data/cluster-data.ts";
import { readDecision } from "../../src/model/decision-annotation/compact-decision.ts";
import { ringOf } from "../../src/model/decision-annotation/key-ring.ts";
import { readWorkload } from "../../src/model/read-workload.ts";
import { formatTime } from "../../src/model/time.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import { makeAnswers } from "../../webhook/decisions/process/make-answers.ts";
import { NOW, reviewOf } from "./admission.ts";

/** The keys that the webhooks of a store sign with. */
export const keys = ringOf(Buffer.alloc(32, 7));

interface Response {
  allowed: boolean;
  patch?: string;
  status?: { message: string };
}

export interface Stored {
  allowed: boolean;
  message: string;
  /** As the API server stores it; as it was sent where it was denied. */
  object: WorkloadObject;
  /** The mutating webhook's. */
  patch: Operation[];
}

export const placeOf = (object: WorkloadObject): string => {
  const { provider = "", region = "" } = readDecision(object)?.placement ?? {};
  return `${provider}/${region}`;
};

/** Both webhooks in front of a store, as the API server calls them. */
export function openStore(policy: LoadedBundle, annotations: Record<string, string> = {}) {
  const clusterData = createClusterData();
  const clock = { nowSeconds: NOW };
  const watch = { isOpen: true };
  clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
  const answer = makeAnswers({
    ...{ policy, clusterData, keys: () => keys },
    nowSeconds: () => clock.nowSeconds,
    forecasts: () => null,
  });
  const ask = (path: "/mutate" | "/validate", object: WorkloadObject, fields: object = {}): Response => {
    if (watch.isOpen) clusterData.apply({ type: "seen", at: clock.nowSeconds });
    const { body } = answer(path, reviewOf(object, { uid: randomUUID(), ...fields }));
    return (JSON.parse(body) as { response: Response }).response;
  };
  const mutate = (object: WorkloadObject, fields: object = {}) => {
    const response = ask("/mutate", object, fields);
    const text = Buffer.from(response.patch ?? "W10=", "base64").toString();
    const patch = JSON.parse(text) as Operation[];
    const copy = jsonPatch.deepClone([object, patch]) as [WorkloadObject, Operation[]];
    const next = jsonPatch.applyPatch(copy[0], copy[1]).newDocument;
    return { response, patch, next };
  };
  const refused = ({ status }: Response, object: WorkloadObject): Stored => ({
    ...{ allowed: false, message: status?.message ?? "", object, patch: [] },
  });
  const see = (object: WorkloadObject): void => {
    const key = `${object.kind}/demo/${object.metadata.name ?? ""}`;
    clusterData.apply({ type: "workload", key, workload: readWorkload("VmTemplate", object) });
  };
  const create = (object: WorkloadObject, fields: { dryRun?: boolean; seen?: boolean } = {}): Stored => {
    const { response, patch, next } = mutate(object, fields);
    if (!response.allowed) return refused(response, object);
    const { generateName = "" } = next.metadata;
    const name = next.metadata.name ?? `${generateName}${randomUUID().slice(0, 5)}`;
    const creationTimestamp = formatTime(clock.nowSeconds);
    const stored = { ...next, metadata: { ...next.metadata, name, uid: randomUUID(), creationTimestamp } };
    const checked = ask("/validate", stored, fields);
    if (!checked.allowed) return refused(checked, object);
    if (fields.dryRun !== true && fields.seen !== false) see(stored);
    return { allowed: true, message: "", object: stored, patch };
  };
  const update = (oldObject: WorkloadObject, object: WorkloadObject, fields: object = {}): Stored => {
    const both = { ...fields, operation: "UPDATE", oldObject };
    const { response, patch, next } = mutate(object, both);
    if (!response.allowed) return refused(response, object);
    const checked = ask("/validate", next, both);
    return checked.allowed ? { allowed: true, message: "", object: next, patch } : refused(checked, object);
  };
  const remove = ({ metadata: { name = "" } }: WorkloadObject): void => {
    clusterData.apply({ type: "workload", key: `VmTemplate/demo/${name}`, workload: null });
  };
  const install = (object: WorkloadObject): void => {
    const { kind, metadata } = object;
    const installed = {
      kind,
      namespace: "demo",
      name: metadata.name ?? "",
      place: placeOf(object),
      uid: "",
      release: "",
      running: [],
    };
    clusterData.apply({ type: "release", record: `landfall.release.demo.${metadata.name ?? ""}`, installed });
  };
  return { create, update, remove, install, see, mutate, ask, clock, watch, clusterData };
}

/** What a tenant reads, and sends again: without what the API server fills in. */
export function copyOf(
  { metadata, ...rest }: WorkloadObject,
  changes: Partial<WorkloadObject["metadata"]> = {},
): WorkloadObject {
  const { uid: _, creationTimestamp: __, ...kept } = metadata;
  const object = { ...rest, metadata: { ...kept, ...changes } };
  if (object.metadata.name === undefined) delete object.metadata.name;
  return object;
}
