import { type ApiPath, apiPath, below } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { canonicalJson } from "../model/json.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import type { Report } from "./report.ts";

const COLLECTION = apiPath`/apis/landfall.dev/v1alpha1/placementreports`;
const pathOf = (namespace: string): ApiPath =>
  apiPath`/apis/landfall.dev/v1alpha1/namespaces/${namespace}/placementreports`;

const contentOf = ({ bundle, summary, results, omitted }: Omit<Report, "metadata" | "kind" | "apiVersion">): string =>
  canonicalJson({ bundle, summary, results, omitted });

type StoredReport = Report & KubernetesObject;

/** Writes the reports that changed and removes those of empty namespaces. Returns how many it wrote or removed. */
export async function writeReports(client: KubeClient, reports: readonly Report[]): Promise<number> {
  const stored = await client.get<{ items: StoredReport[] }>(COLLECTION);
  const known = new Map((stored?.items ?? []).map((item) => [item.metadata.namespace, item]));
  let written = 0;
  for (const report of reports) {
    const { namespace } = report.metadata;
    const old = known.get(namespace);
    known.delete(namespace);
    if (old !== undefined && contentOf(old) === contentOf(report)) continue;
    const path = pathOf(namespace);
    if (old === undefined) await client.create(path, report);
    else {
      const { resourceVersion = "" } = (old as KubernetesObject).metadata;
      await client.replace(below(path, "landfall"), { ...report, metadata: { ...report.metadata, resourceVersion } });
    }
    written += 1;
  }
  for (const namespace of known.keys()) if (await client.remove(below(pathOf(namespace), "landfall"))) written += 1;
  return written;
}
