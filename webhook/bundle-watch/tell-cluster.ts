import type { KubeClient } from "../../src/cluster/create-client.ts";
import { WEBHOOK } from "../../src/model/names.ts";

/** Events of cluster-wide objects live there. */
const NAMESPACE = "default";
const MESSAGE_LIMIT = 1000;

/**
 * Writes an Event on the webhook's own configuration (`kubectl describe mutatingwebhookconfiguration`). Throws REL_API…, for
 * the caller to log: no decision depends on it.
 */
export async function tellCluster(
  client: KubeClient,
  event: { reason: string; message: string; warning: boolean; at: Date },
): Promise<void> {
  const time = event.at.toISOString();
  await client.create(`/api/v1/namespaces/${NAMESPACE}/events`, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { generateName: "landfall-bundle-", namespace: NAMESPACE },
    involvedObject: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      name: WEBHOOK.placement,
    },
    reason: event.reason,
    message: event.message.slice(0, MESSAGE_LIMIT),
    type: event.warning ? "Warning" : "Normal",
    source: { component: "landfall-webhook" },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  });
}
