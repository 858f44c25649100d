import { gunzipSync } from "node:zlib";
import { isObject } from "../../model/json.ts";
import type { Cluster } from "../../cluster/connect.ts";

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

/** One revision of a release, as the labels of helm's Secret give it. */
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

const secretsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/secrets`;

/** The revisions of a release, newest first. */
export async function listRevisions(cluster: Cluster, namespace: string, release: string): Promise<Revision[]> {
  const selector = encodeURIComponent(`owner=helm,name=${release}`);
  const list = await cluster.get<SecretList>(`${secretsPath(namespace)}?labelSelector=${selector}`, METADATA_LIST);
  const revisions = (list?.items ?? []).map(({ metadata }) => ({
    secret: metadata.name,
    revision: Number(metadata.labels?.["version"] ?? 0),
    status: (metadata.labels?.["status"] ?? "unknown") as ReleaseStatus,
    labels: metadata.labels ?? {},
    createdAt: Date.parse(metadata.creationTimestamp) / 1000,
  }));
  return revisions.sort((a, b) => b.revision - a.revision);
}

/** The manifest that a revision installed: base64 of gzip of JSON, and base64 again for the Secret. */
export async function readManifest(cluster: Cluster, namespace: string, secret: string): Promise<string> {
  const found = await cluster.get<{ data?: Record<string, string> }>(`${secretsPath(namespace)}/${secret}`);
  const stored = found?.data?.["release"];
  if (stored === undefined) return "";
  const zipped = Buffer.from(Buffer.from(stored, "base64").toString("latin1"), "base64");
  const release: unknown = JSON.parse(gunzipSync(zipped).toString());
  return isObject(release) && typeof release["manifest"] === "string" ? release["manifest"] : "";
}

/** Forgets a revision that helm began and did not end; what it made stays and is taken over by the next one. */
export const dropRevision = (cluster: Cluster, namespace: string, secret: string): Promise<boolean> =>
  cluster.remove(`${secretsPath(namespace)}/${secret}`);
