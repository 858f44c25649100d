import { readFile } from "node:fs/promises";
import { checkKind } from "../../../admission/check/check-object.ts";
import { stripDecision } from "../../../model/decision-annotation/strip-decision.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import type { KubeClient } from "../../../cluster/create-client.ts";
import { LandfallError, messageOf } from "../../../errors.ts";
import { bareNamespace, createClusterData, workloadKey } from "../../../external-data/cluster-data.ts";
import { listLive } from "../../../external-data/list-live.ts";
import { readWorkload, vmNameOf } from "../../../external-data/read-workload.ts";
import type { RelatedWorkloads } from "../../../model/cluster-data.ts";
import { isObject } from "../../../model/json.ts";
import type { NamespaceData, Resource } from "../../../model/kubernetes.ts";
import { isKind, type Kind } from "../../../model/names.ts";
import type { ReadObjects } from "../../objects/read-objects.ts";

/** An object to ask both bundles about, and the moment to ask it at. */
export interface Subject {
  kind: Kind;
  object: WorkloadObject;
  namespace: NamespaceData;
  facts: RelatedWorkloads | null;
  /** Seconds since 1970. */
  nowSeconds: number;
}

/** Objects of files: nothing is known of what else there is. */
export function fromFiles({ workloads, namespaces }: ReadObjects, nowSeconds: number): Subject[] {
  return workloads.map(({ kind, object }) => {
    const name = object.metadata.namespace ?? "default";
    const namespace = namespaces.get(name) ?? bareNamespace(name);
    return { kind, object: stripDecision(object), namespace, facts: null, nowSeconds };
  });
}

const namespaceOf = ({ metadata: { name = "", labels = {}, annotations = {} } }: Resource): NamespaceData => ({
  name,
  labels,
  annotations,
});

/** Everything that lives in a cluster, each object with all the others around it. Throws REL_API…. */
export async function fromCluster(client: KubeClient, nowSeconds: number): Promise<Subject[]> {
  const facts = createClusterData();
  const namespaces = await client.get<{ items: Resource[] }>("/api/v1/namespaces");
  for (const item of namespaces?.items ?? [])
    facts.apply({ type: "namespace", name: item.metadata.name ?? "", facts: namespaceOf(item) });
  const live = (await listLive(client, 0)).filter((object): object is Resource & { kind: Kind } => isKind(object.kind));
  const keyOf = ({ kind, metadata: { namespace = "default", name = "" } }: Resource): string =>
    workloadKey(kind, namespace, name);
  for (const object of live)
    facts.apply({ type: "workload", key: keyOf(object), workload: readWorkload(object.kind, object) });
  facts.apply({ type: "seen", at: nowSeconds });
  return live.map((object) => {
    const namespace = object.metadata.namespace ?? "default";
    const around = facts.around({ key: keyOf(object), namespace, vmName: vmNameOf(object.kind, object) }, nowSeconds);
    return {
      kind: object.kind,
      object: stripDecision(object),
      namespace: facts.namespace(namespace),
      facts: around,
      nowSeconds,
    };
  });
}

function isWorkload(value: unknown): value is WorkloadObject {
  if (!isObject(value) || !isObject(value["metadata"])) return false;
  const { kind, apiVersion } = value;
  return typeof kind === "string" && checkKind(String(apiVersion), kind) === null;
}

/** The subject of one line of a decision log; null for an update, whose answer hangs on what was there before. */
function recorded(line: string): Subject | null {
  const event: unknown = JSON.parse(line);
  const input = isObject(event) ? event["input"] : undefined;
  if (!isObject(input) || !isObject(input["request"]) || input["request"]["operation"] !== "CREATE") return null;
  const { object, namespace, now } = input;
  if (!isWorkload(object) || !isKind(object.kind) || typeof now !== "number") return null;
  const facts = isObject(namespace) ? namespace : {};
  return {
    kind: object.kind,
    object,
    namespace: { ...bareNamespace("default"), ...facts },
    facts: null,
    nowSeconds: now,
  };
}

/** What a decision log recorded, the last time each object was asked about. Throws CLI_INPUT. */
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
    throw new LandfallError("CLI_INPUT", { file, detail: messageOf(thrown) }, thrown);
  }
  if (subjects.size > 0) return [...subjects.values()];
  throw new LandfallError("CLI_INPUT", { file, detail: "it records no decision about a new object" });
}
