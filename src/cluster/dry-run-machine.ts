import { below, versionPath } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";
import { withServedVersion } from "./served-version.ts";
import type { KubernetesObject, ObjectMeta } from "../model/kubernetes.ts";

/** Has the API server ask the webhook about a small machine, by a dry run that stores nothing. Returns what it would store. Throws REL_API…. */
export const dryRunMachine = (
  client: KubeClient,
  metadata: ObjectMeta & { namespace: string },
): Promise<KubernetesObject> =>
  withServedVersion((apiVersion) => {
    const body = { apiVersion, kind: "VmTemplate", metadata, spec: { cpu: 1, memory: 1 } };
    const path = below(versionPath(apiVersion), "namespaces", metadata.namespace, "vmtemplates");
    return client.create<KubernetesObject>(path, body, { dryRun: "All" });
  });
