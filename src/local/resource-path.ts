import { LandfallError } from "../errors.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import type { Api } from "./connect-api.ts";

interface ApiResource {
  name: string;
  kind: string;
  namespaced: boolean;
}

const groupPath = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/**
 * The path of an object's collection, found by asking the API server for the kind's resource.
 * Errors: LOCAL_APPLY when it has no such kind.
 */
export async function collectionPath(api: Api, object: KubernetesObject): Promise<string> {
  const path = groupPath(object.apiVersion);
  const answer = await api.request(path);
  const resources = (answer.body["resources"] ?? []) as ApiResource[];
  const resource = resources.find((one) => one.kind === object.kind && !one.name.includes("/"));
  if (!resource) {
    const name = `${object.kind} ${object.metadata.name ?? ""}`;
    throw new LandfallError("LOCAL_APPLY", {
      object: name,
      detail: `it has no ${object.kind} of ${object.apiVersion}`,
    });
  }
  const namespace = resource.namespaced ? `/namespaces/${object.metadata.namespace ?? "default"}` : "";
  return `${path}${namespace}/${resource.name}`;
}
