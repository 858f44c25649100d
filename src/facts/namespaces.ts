import { type CoreV1Api, type KubeConfig, makeInformer, type V1Namespace } from "@kubernetes/client-node";
import { messageOf } from "../errors.ts";
import type { NamespaceFacts } from "../model/kubernetes.ts";

/** After a broken watch; the facts that are known go on being used meanwhile. */
const RETRY_MS = 1000;

export interface NamespaceSource {
  /** What is known of a namespace; bare facts where it is not known (yet). */
  get(name: string): NamespaceFacts;
  /** Whether the first list has been read. */
  synced(): boolean;
  stop(): Promise<void>;
}

export const bareNamespace = (name: string): NamespaceFacts => ({ name, labels: {}, annotations: {} });

const toFacts = (namespace: V1Namespace): NamespaceFacts => ({
  name: namespace.metadata?.name ?? "",
  labels: namespace.metadata?.labels ?? {},
  annotations: namespace.metadata?.annotations ?? {},
});

/** Follows the cluster's namespaces. A broken watch is opened again; what was known stays. */
export function watchNamespaces(
  kubeConfig: KubeConfig,
  api: CoreV1Api,
  onError: (message: string) => void,
): NamespaceSource {
  const known = new Map<string, NamespaceFacts>();
  let synced = false;
  let stopped = false;
  const informer = makeInformer(kubeConfig, "/api/v1/namespaces", async () => {
    const list = await api.listNamespace();
    const facts = list.items.map(toFacts);
    known.clear();
    for (const fact of facts) known.set(fact.name, fact);
    synced = true;
    return list;
  });
  const put = (namespace: V1Namespace): void => void known.set(namespace.metadata?.name ?? "", toFacts(namespace));
  const start = (): void => {
    informer.start().catch((thrown: unknown) => {
      failed(thrown);
    });
  };
  const failed = (thrown: unknown): void => {
    if (stopped) return;
    onError(messageOf(thrown));
    setTimeout(start, RETRY_MS).unref();
  };
  informer.on("add", put);
  informer.on("update", put);
  informer.on("delete", (namespace) => void known.delete(namespace.metadata?.name ?? ""));
  informer.on("error", failed);
  start();
  return {
    get: (name) => known.get(name) ?? bareNamespace(name),
    synced: () => synced,
    stop: async () => {
      stopped = true;
      await informer.stop();
    },
  };
}
