import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { textOf } from "../../model/json.ts";

/** Most bytes of the answer with a Secret. An API server stores 3 MiB at most. */
const SECRET_BYTES = 4 * 1024 * 1024;

/** A Secret's values as text, by key; null if it does not exist. Throws REL_API, with the status 413, if it has more than `maxBytes`. */
export async function readSecret(
  client: KubeClient,
  { namespace, name }: { namespace: string; name: string },
  maxBytes = SECRET_BYTES,
): Promise<Record<string, string> | null> {
  const path = apiPath`/api/v1/namespaces/${namespace}/secrets/${name}`;
  const secret = await client.get<Resource>(path, { maxBytes });
  if (secret === null) return null;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(textOf(value), "base64").toString("utf8"),
    ]),
  );
}
