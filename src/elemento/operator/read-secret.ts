import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { textOf } from "../../model/json.ts";

/** A Secret's values as text, by key; null if it does not exist. */
export async function readSecret(
  client: KubeClient,
  namespace: string,
  name: string,
): Promise<Record<string, string> | null> {
  const secret = await client.get<Resource>(apiPath`/api/v1/namespaces/${namespace}/secrets/${name}`);
  if (secret === null) return null;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(textOf(value), "base64").toString("utf8"),
    ]),
  );
}
