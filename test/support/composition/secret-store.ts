import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";

/** An API server that keeps objects by their paths, with conflicts of versions. */
export function secretStore() {
  const objects = new Map<string, Resource>();
  let version = 0;
  const store = (path: string, body: Resource): Resource => {
    version += 1;
    const stored = { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } };
    objects.set(path, structuredClone(stored));
    return stored;
  };
  const client = {
    get: (path: string) => Promise.resolve(structuredClone(objects.get(path) ?? null)),
    create(path: string, body: Resource) {
      const own = `${path}/${body.metadata.name ?? ""}`;
      if (objects.has(own)) return Promise.reject(new ApiError(409, { action: "POST", detail: "exists" }));
      return Promise.resolve(store(own, body));
    },
    replace(path: string, body: Resource) {
      if (objects.get(path)?.metadata.resourceVersion !== body.metadata.resourceVersion)
        return Promise.reject(new ApiError(409, { action: "PUT", detail: "changed" }));
      return Promise.resolve(store(path, body));
    },
    remove: (path: string) => Promise.resolve(objects.delete(path)),
  } as unknown as KubeClient;
  return { client, objects };
}
