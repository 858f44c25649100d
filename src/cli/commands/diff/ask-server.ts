import type { WorkloadObject } from "../../../model/workload.ts";
import { ApiError } from "../../../cluster/api-error.ts";
import type { KubeClient } from "../../../cluster/create-client.ts";
import { type Discovery, objectPath } from "../../../cluster/discover.ts";
import { LandfallError } from "../../../errors.ts";
import type { Resource } from "../../../model/kubernetes.ts";

/** What a cluster would make of an object; `live` is what it holds now, null where it holds none. */
export type Answer = { denied: string } | { denied: null; admitted: Resource; live: Resource | null };

const DRY_RUN = "?dryRun=All&fieldManager=landfall-diff";
/** Bad request, forbidden (a webhook's no), and what the CRD's schema refuses. */
const REFUSED = new Set([400, 403, 422]);

/** The user's object in place of the live one, with the metadata that other people's tools keep there. */
function replacement(object: WorkloadObject, { metadata: live }: Resource): WorkloadObject {
  const { metadata } = object;
  const annotations = { ...live.annotations, ...metadata.annotations };
  const labels = { ...live.labels, ...metadata.labels };
  return { ...object, metadata: { ...live, ...metadata, annotations, labels } };
}

/**
 * Asks the cluster itself, by a dry run: its own webhook with its own bundle and facts decides, and nothing is stored.
 * Throws CLI_KIND, REL_API, REL_API_AWAY.
 */
export async function askServer(client: KubeClient, discovery: Discovery, object: WorkloadObject): Promise<Answer> {
  const { apiVersion, kind, metadata } = object;
  const resource = await discovery.find(apiVersion, kind);
  if (resource === null) throw new LandfallError("CLI_KIND", { apiVersion, kind });
  const namespace = metadata.namespace ?? "default";
  const path = objectPath(apiVersion, resource, namespace, metadata.name ?? "");
  const live = metadata.name === undefined ? null : await client.get<Resource>(path);
  try {
    const admitted =
      live === null
        ? await client.create<Resource>(`${objectPath(apiVersion, resource, namespace, null)}${DRY_RUN}`, object)
        : await client.replace<Resource>(`${path}${DRY_RUN}`, replacement(object, live));
    return { denied: null, admitted, live };
  } catch (thrown) {
    if (thrown instanceof ApiError && REFUSED.has(thrown.status)) return { denied: String(thrown.params["detail"]) };
    throw thrown;
  }
}
