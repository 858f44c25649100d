import type { Cluster } from "../../cluster/connect.ts";
import type { Resource } from "../../model/kubernetes.ts";

/** The texts in a Secret, by key; null where there is no such Secret. */
export async function readSecret(
  cluster: Cluster,
  namespace: string,
  name: string,
): Promise<Record<string, string> | null> {
  const secret = await cluster.get<Resource>(`/api/v1/namespaces/${namespace}/secrets/${name}`);
  if (secret === null) return null;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(String(value), "base64").toString("utf8"),
    ]),
  );
}
