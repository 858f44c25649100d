import { type ApiPath, below } from "../../cluster/api-path.ts";
import { ApiError } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { discover, objectPath } from "../../cluster/discover.ts";
import { LandfallError } from "../../errors.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";

const failed = (object: KubernetesObject, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("LOCAL_APPLY", { object: `${object.kind} ${object.metadata.name ?? ""}`, detail }, cause);

/** The path of the collection that an object belongs to. Errors: LOCAL_APPLY if the API server does not serve its kind. */
export async function collectionOf(client: KubeClient, object: KubernetesObject): Promise<ApiPath> {
  const { apiVersion, kind, metadata } = object;
  const resource = await discover(client).find(apiVersion, kind);
  if (resource === null) throw failed(object, `it has no ${kind} of ${apiVersion}`);
  return objectPath(apiVersion, resource, metadata.namespace ?? "default", null);
}

/** Server-side apply, as field manager `landfall-local`. Errors: LOCAL_APPLY. */
export async function applyObject(client: KubeClient, object: KubernetesObject): Promise<void> {
  const path = below(await collectionOf(client, object), object.metadata.name ?? "");
  try {
    await client.patch(path, "apply", object, { fieldManager: "landfall-local", force: true });
  } catch (thrown) {
    throw thrown instanceof ApiError ? failed(object, thrown.detail, thrown) : thrown;
  }
}
