import type { Resource } from "../model/kubernetes.ts";
import { sha256 } from "../model/sha256.ts";
import { apiPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";

export interface EventInput {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

export type EventRecorder = (object: Resource, event: EventInput) => void;

export interface RecorderOptions {
  component: string;
  nowMs: () => number;
  /** The same text on the same object is not repeated for this long, in ms. */
  quietMs?: number;
  onFailure?: (thrown: unknown) => void;
}

/** Writes core/v1 Events in the name of `component`. Nothing depends on them: a failure (a namespace that ends) stops nothing. */
export function createEventRecorder(client: KubeClient, options: RecorderOptions): EventRecorder {
  const { component, nowMs, quietMs = 600_000, onFailure } = options;
  const said = new Map<string, number>();
  return (object, event) => {
    const { namespace, name = "", uid = "" } = object.metadata;
    // Events of cluster-scoped objects live in this namespace.
    const home = namespace ?? "default";
    const key = `${uid} ${event.reason} ${event.message}`;
    const at = nowMs();
    if ((said.get(key) ?? -Infinity) > at - quietMs) return;
    if (said.size > 10_000) said.clear();
    said.set(key, at);
    const id = sha256(`${key} ${at}`).slice(0, 16);
    const time = new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
    const { apiVersion, kind } = object;
    const body = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${id}`, namespace: home },
      involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion: object.metadata.resourceVersion },
      ...event,
      message: event.message.slice(0, 1000),
      source: { component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    client.create(apiPath`/api/v1/namespaces/${home}/events`, body).catch((thrown: unknown) => {
      said.delete(key);
      onFailure?.(thrown);
    });
  };
}
