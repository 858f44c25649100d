import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { listMetadata } from "../../cluster/list-metadata.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { decodeRelease, manifestIn, type StoredRelease, valuesIn } from "./stored-release.ts";

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

// The functions below read helm's Secrets in the namespace of a release. Tenants can write there: it is good for names and for
// people, never for what is installed or deleted.

interface SecretMetadata {
  metadata: { name: string; resourceVersion: string; creationTimestamp: string; labels?: Record<string, string> };
}

/** helm keeps a few revisions; a tenant may write any number of Secrets that look like one. */
const COPIES_AT_ONCE = 50;
/** Each may have 256 KiB of annotations, which a list includes, and many objects are reconciled at the same time. */
const PAGE = 5;
const MOST_REVISIONS = 100;

const asRevision = ({ metadata }: SecretMetadata): Revision => ({
  secret: metadata.name,
  revision: Number(metadata.labels?.["version"] ?? 0),
  status: (metadata.labels?.["status"] ?? "unknown") as ReleaseStatus,
  labels: metadata.labels ?? {},
  createdAt: Date.parse(metadata.creationTimestamp) / 1000,
});

/** The revisions of the releases whose Secrets have these labels, newest first; of more than MOST_REVISIONS some are omitted. */
async function selectRevisions(client: KubeClient, namespace: string, labels: string): Promise<Revision[]> {
  // Labels only: helm keeps the whole chart in each Secret.
  const select = { labels: `owner=helm,${labels}`, page: PAGE, most: MOST_REVISIONS };
  const found = await listMetadata<SecretMetadata>(client, secretsPath(namespace), select);
  return found.map(asRevision).sort((a, b) => b.revision - a.revision);
}

/** The revisions of a release, newest first. */
export const listRevisions = (client: KubeClient, namespace: string, release: string): Promise<Revision[]> =>
  selectRevisions(client, namespace, `name=${release}`);

/** Name and resource version of each copy of a release. */
export async function listCopies(client: KubeClient, namespace: string, release: string): Promise<[string, string][]> {
  const select = { labels: `owner=helm,name=${release}`, page: COPIES_AT_ONCE, most: COPIES_AT_ONCE };
  const copies = await listMetadata<SecretMetadata>(client, secretsPath(namespace), select);
  return copies.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
}

/** The names of the releases that have a revision with this label. */
export async function listReleases(client: KubeClient, namespace: string, label: [string, string]): Promise<string[]> {
  const revisions = await selectRevisions(client, namespace, label.join("="));
  return [...new Set(revisions.map(({ labels }) => labels["name"] ?? ""))];
}

/** The content of a copy; null if it cannot be read. */
async function readStored(client: KubeClient, namespace: string, secret: string): Promise<StoredRelease | null> {
  const found = await client.get<{ data?: Record<string, string> }>(below(secretsPath(namespace), secret));
  const stored = found?.data?.["release"];
  if (stored === undefined) return null;
  // Anyone who may write Secrets in the namespace may have written anything.
  return decodeRelease(stored).catch(() => null);
}

/** The manifest that a revision installed, as its copy says. */
export async function readManifest(client: KubeClient, namespace: string, secret: string): Promise<string> {
  const release = await readStored(client, namespace, secret);
  return release === null ? "" : manifestIn(release);
}

/** The values that a revision was given, as its copy says; none where the copy cannot be read. */
export async function readValues(
  client: KubeClient,
  namespace: string,
  secret: string,
): Promise<Record<string, unknown>> {
  const release = await readStored(client, namespace, secret);
  return release === null ? {} : valuesIn(release);
}
