import { apiPath } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { CLUSTER, type Cluster } from "../contract/cluster.ts";
import type { ConsoleApp } from "./console-app.ts";

const isForbidden = (thrown: unknown): boolean => hasStatus(thrown, 403);

const nullIfForbidden = (thrown: unknown): null => {
  if (isForbidden(thrown)) return null;
  throw thrown;
};

async function namespacesOf(client: KubeClient): Promise<string[] | null> {
  const found = await listObjects(client, apiPath`/api/v1/namespaces`).catch(nullIfForbidden);
  return found === null ? null : found.items.map(({ metadata }) => metadata.name ?? "").sort();
}

async function versionOf(client: KubeClient): Promise<string | null> {
  const version = await client.get<{ gitVersion?: unknown }>(apiPath`/version`).catch(nullIfForbidden);
  return typeof version?.gitVersion === "string" ? version.gitVersion : null;
}

/** The source of the objects: a cluster, or a folder. */
export type ShownCluster = Pick<Cluster, "server" | "namespace" | "timeLapse" | "recorded">;

/** The cluster, and the namespaces that the user may list. */
export function addClusterRoute(
  app: ConsoleApp,
  client: KubeClient,
  { server, namespace, timeLapse, recorded }: ShownCluster,
): void {
  app.get("/api/cluster", { schema: { response: { 200: CLUSTER } } }, async () => {
    const [namespaces, version] = await Promise.all([namespacesOf(client), versionOf(client)]);
    return { server, namespace, namespaces, version, timeLapse, recorded };
  });
}
