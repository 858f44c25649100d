import { gunzipSync } from "node:zlib";
import { isObject } from "../../model/json.ts";
import { ApiError } from "../../cluster/api-error.ts";
import { type ApiPath, apiPath, below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/create-client.ts";

export type ReleaseStatus =
  | "deployed"
  | "failed"
  | "superseded"
  | "pending-install"
  | "pending-upgrade"
  | "pending-rollback"
  | "uninstalling"
  | "uninstalled"
  | "unknown";

/** One revision of a release, from the labels of helm's Secret. */
export interface Revision {
  secret: string;
  revision: number;
  status: ReleaseStatus;
  labels: Record<string, string>;
  /** Seconds since 1970. */
  createdAt: number;
}

interface SecretList {
  items: { metadata: { name: string; creationTimestamp: string; labels?: Record<string, string> } }[];
}

/** Labels only: helm keeps the whole chart in each Secret. */
const METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

const secretsPath = (namespace: string): ApiPath => apiPath`/api/v1/namespaces/${namespace}/secrets`;

/** The revisions of the releases whose Secrets have these labels, newest first. */
async function selectRevisions(client: KubeClient, namespace: string, labels: string): Promise<Revision[]> {
  const query = { labelSelector: `owner=helm,${labels}` };
  const list = await client.get<SecretList>(secretsPath(namespace), { query, accept: METADATA_LIST });
  const revisions = (list?.items ?? []).map(({ metadata }) => ({
    secret: metadata.name,
    revision: Number(metadata.labels?.["version"] ?? 0),
    status: (metadata.labels?.["status"] ?? "unknown") as ReleaseStatus,
    labels: metadata.labels ?? {},
    createdAt: Date.parse(metadata.creationTimestamp) / 1000,
  }));
  return revisions.sort((a, b) => b.revision - a.revision);
}

/** The revisions of a release, newest first. */
export const listRevisions = (client: KubeClient, namespace: string, release: string): Promise<Revision[]> =>
  selectRevisions(client, namespace, `name=${release}`);

/** The names of the releases that have a revision with this label. */
export async function listReleases(client: KubeClient, namespace: string, label: [string, string]): Promise<string[]> {
  const revisions = await selectRevisions(client, namespace, label.join("="));
  return [...new Set(revisions.map(({ labels }) => labels["name"] ?? ""))];
}

/** The content of a revision: base64 of gzip of JSON, and base64 again for the Secret. Null if it cannot be read. */
async function readStored(
  client: KubeClient,
  namespace: string,
  secret: string,
): Promise<Record<string, unknown> | null> {
  const found = await client.get<{ data?: Record<string, string> }>(below(secretsPath(namespace), secret));
  const stored = found?.data?.["release"];
  if (stored === undefined) return null;
  const zipped = Buffer.from(Buffer.from(stored, "base64").toString("latin1"), "base64");
  const release: unknown = JSON.parse(gunzipSync(zipped).toString());
  return isObject(release) ? release : null;
}

/** The manifest of a revision. */
export async function readManifest(client: KubeClient, namespace: string, secret: string): Promise<string> {
  const release = await readStored(client, namespace, secret);
  return typeof release?.["manifest"] === "string" ? release["manifest"] : "";
}

/** The values of a revision, without the chart's own; empty if helm did not write the Secret. */
export async function readValues(
  client: KubeClient,
  namespace: string,
  secret: string,
): Promise<Record<string, unknown>> {
  const release = await readStored(client, namespace, secret).catch((thrown: unknown) => {
    if (thrown instanceof ApiError) throw thrown;
    return null;
  });
  return isObject(release?.["config"]) ? release["config"] : {};
}

/** Removes an unfinished revision; the next one adopts its resources. */
export const dropRevision = (client: KubeClient, namespace: string, secret: string): Promise<boolean> =>
  client.remove(below(secretsPath(namespace), secret));
