import { readFile } from "node:fs/promises";
import { readCluster } from "../../../audit/read-cluster.ts";
import { checkKind } from "../../../admission/check/check-object.ts";
import { asNew } from "../../../model/decision-annotation/strip-decision.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { badInput, unusable } from "../../objects/read-documents.ts";
import { bareNamespace, keyOfWorkload, workloadKey } from "../../../external-data/cluster-data.ts";
import { vmNameOf } from "../../../model/read-workload.ts";
import type { RelatedWorkloads } from "../../../model/cluster-data.ts";
import { isObject, textOf } from "../../../model/json.ts";
import type { NamespaceData } from "../../../model/kubernetes.ts";
import { isKind, type Kind } from "../../../model/names.ts";
import type { ReadObjects } from "../../objects/read-objects.ts";

/** An object for both bundles, and the time of the decision. */
export interface Subject {
  kind: Kind;
  object: WorkloadObject;
  namespace: NamespaceData;
  relatedWorkloads: RelatedWorkloads | null;
  /** Seconds since 1970. */
  nowSeconds: number;
}

/** Objects from files, without data about other objects. */
export function fromFiles({ workloads, namespaces }: ReadObjects, nowSeconds: number): Subject[] {
  return workloads.map(({ kind, object }) => {
    const name = object.metadata.namespace ?? "default";
    const namespace = namespaces.get(name) ?? bareNamespace(name);
    return { kind, object: asNew(object), namespace, relatedWorkloads: null, nowSeconds };
  });
}

/** All objects of a cluster but those whose run is over, which nothing decides again; each with data about the others. Throws REL_API…. */
export async function fromCluster(client: KubeClient, nowSeconds: number): Promise<Subject[]> {
  const { objects, clusterData } = await readCluster(client, nowSeconds);
  const isOver = (object: (typeof objects)[number]): boolean =>
    ["over", "gone"].includes(clusterData.owners.runOf(object));
  const asked = objects.filter((object) => !isOver(object));
  return asked.map((object) => {
    const { kind } = object;
    const namespace = object.metadata.namespace ?? "default";
    const own = { key: keyOfWorkload(object), namespace, vmName: vmNameOf(kind, object) };
    return {
      ...{ kind, object: asNew(object), namespace: clusterData.namespace(namespace), nowSeconds },
      relatedWorkloads: clusterData.around(own, nowSeconds),
    };
  });
}

function isWorkload(value: unknown): value is WorkloadObject {
  if (!isObject(value) || !isObject(value["metadata"])) return false;
  const { kind, apiVersion } = value;
  return typeof kind === "string" && checkKind(textOf(apiVersion), kind) === null;
}

/** The subject of one line of a decision log; null for an update, whose answer depends on the old object. */
function recorded(line: string): Subject | null {
  const event: unknown = JSON.parse(line);
  const input = isObject(event) ? event["input"] : undefined;
  if (!isObject(input) || !isObject(input["request"]) || input["request"]["operation"] !== "CREATE") return null;
  const { object, namespace, now } = input;
  if (!isWorkload(object) || !isKind(object.kind) || typeof now !== "number") return null;
  const given = isObject(namespace) ? namespace : {};
  return {
    kind: object.kind,
    object,
    namespace: { ...bareNamespace("default"), ...given },
    relatedWorkloads: null,
    nowSeconds: now,
  };
}

/** The objects of a decision log, each at its last decision. Throws CLI_INPUT. */
export async function fromDecisions(file: string): Promise<Subject[]> {
  const subjects = new Map<string, Subject>();
  try {
    const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
    for (const subject of lines.map(recorded)) {
      if (subject === null) continue;
      const { name = "", namespace = "default" } = subject.object.metadata;
      subjects.set(workloadKey(subject.kind, namespace, name), subject);
    }
  } catch (thrown) {
    throw unusable(file, thrown);
  }
  if (subjects.size > 0) return [...subjects.values()];
  throw badInput(file, "it records no decision about a new object", "give the log of a webhook that decided some");
}
