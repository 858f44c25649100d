import { apiPath } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { NamespaceData, Resource } from "../../model/kubernetes.ts";

/** No namespace has this name: the platform's defaults apply, for users to whom the limits of a namespace are not told. */
export const NOBODYS: NamespaceData = { name: "-", labels: {}, annotations: {} };

/** The settings of a namespace, and whether the user can read it. Throws REL_API…. */
export async function askNamespace(
  client: KubeClient,
  name: string,
): Promise<{ data: NamespaceData; readable: boolean }> {
  const found = await client.get<Resource>(apiPath`/api/v1/namespaces/${name}`).catch((thrown: unknown) => {
    if (hasStatus(thrown, 403)) return null;
    throw thrown;
  });
  const { labels = {}, annotations = {} } = found?.metadata ?? {};
  return { data: { name, labels, annotations }, readable: found !== null };
}

/** The settings of a namespace; none for a user who cannot read it. Throws REL_API…. */
export const readNamespace = async (client: KubeClient, name: string): Promise<NamespaceData> =>
  (await askNamespace(client, name)).data;
