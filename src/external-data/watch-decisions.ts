import type { KubeClient } from "../cluster/client/create-client.ts";
import { createInformer, type Informer } from "../cluster/create-informer.ts";
import { secretsPath } from "../cluster/secrets-path.ts";
import { withoutManagers } from "../cluster/short-object.ts";
import { LANDFALL_SECRETS } from "../model/names.ts";
import type { ClusterEvent } from "./cluster-data.ts";
import { secretEvent } from "./secret-event.ts";

export interface DecisionWatchOptions {
  client: KubeClient;
  /** Landfall's own: tenants can write nothing there. */
  systemNamespace: string;
  relistSeconds: number;
  onEvent: (event: ClusterEvent) => void;
  onFailure: (thrown: unknown) => void;
}

/**
 * Reports which decisions are bound to which objects, which releases are recorded, and what deleted objects left running. Reads
 * metadata only.
 */
export const watchDecisions = (options: DecisionWatchOptions): Informer =>
  createInformer({
    client: options.client,
    path: secretsPath(options.systemNamespace),
    selects: { labels: LANDFALL_SECRETS, metadataOnly: true },
    relistSeconds: options.relistSeconds,
    onFailure: options.onFailure,
    // Only what is read is kept: there is a Secret for each decision of the last minutes.
    keep: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata: withoutManagers(metadata) }),
    onChange(before, present) {
      const object = present ?? before;
      const event = object === null ? null : secretEvent(object, present === null);
      if (event !== null) options.onEvent(event);
    },
  });
