import type { Logger } from "pino";
import { messageOf } from "../../errors.ts";
import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import type { HelmWorker } from "./calls.ts";

const CRDS = apiPath`/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
/** Ms in which many changes are one, as when an operator installs its CRDs. */
const SETTLE_MS = 100;

/** Makes the worker forget which kinds there are when a CRD changes. Returns a function that stops it. */
export function resetOnCrds(client: KubeClient, worker: HelmWorker, log: Pick<Logger, "warn">): () => void {
  let pending: NodeJS.Timeout | undefined;
  const crds = createInformer({
    ...{ client, path: CRDS, selects: { labels: "", metadataOnly: true } },
    onChange() {
      pending ??= setTimeout(() => {
        pending = undefined;
        worker.reset();
      }, SETTLE_MS);
    },
    onFailure(thrown, failures) {
      if (failures === 1) log.warn({ error: messageOf(thrown) }, "the CRDs cannot be watched");
    },
  });
  return () => {
    crds.stop();
    clearTimeout(pending);
  };
}
