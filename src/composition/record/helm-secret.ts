import { isObject } from "../../model/json.ts";
import { encodeRelease, type StoredRelease } from "../helm/stored-release.ts";
import type { RecordedRevision } from "./release-record.ts";
import type { HelmSecret } from "./write-copy.ts";

const PREFIX = "sh.helm.release.v1.";

/** helm's name of the Secret of a revision. */
export const secretNameOf = (release: string, revision: number): string => `${PREFIX}${release}.v${revision}`;

/** The release and revision in the name of helm's Secret; null for another name. */
export function parseSecretName(name: string): { release: string; revision: number } | null {
  const [, release, revision] = /^sh\.helm\.release\.v1\.(.+)\.v(\d{1,9})$/.exec(name) ?? [];
  return release === undefined ? null : { release, revision: Number(revision) };
}

/** The parts of a release that helm needs to upgrade and uninstall it: no files of the chart, and no hooks, which never run. */
export function slimRelease(release: StoredRelease): StoredRelease {
  const chart = isObject(release["chart"]) ? release["chart"] : {};
  return { ...release, chart: { metadata: chart["metadata"] ?? {} }, hooks: [] };
}

/** A recorded revision as helm stores it. */
export async function helmSecretOf(namespace: string, recorded: RecordedRevision): Promise<HelmSecret> {
  const { labels, createdAt, secret: name, release } = recorded;
  const creationTimestamp = new Date(createdAt * 1000).toISOString();
  const metadata = { name, namespace, labels, creationTimestamp };
  return { metadata, type: "helm.sh/release.v1", data: { release: await encodeRelease(release) } };
}
