import { setTimeout as sleep } from "node:timers/promises";
import { LandfallError } from "../../errors.ts";
import { type ApiPath, apiPath, below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { retryConflicts } from "../../cluster/retry-conflicts.ts";
import type { Crd } from "./generate-crd.ts";
import { mergeCrd } from "./merge-crd.ts";

export const CRDS: ApiPath = apiPath`/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
/** On every CRD that a definition made. */
export const CRD_LABEL = { name: "app.kubernetes.io/managed-by", value: "landfall" } as const;

const ESTABLISHED_TRIES = 100;

type LiveCrd = Crd & { status?: { conditions?: { type: string; status: string }[] } };

async function write(client: KubeClient, path: ApiPath, generated: Crd): Promise<void> {
  const existing = await client.get<Crd>(path);
  if (existing?.metadata.deletionTimestamp !== undefined)
    throw new LandfallError("REL_KIND_DELETED", { crd: existing.metadata.name ?? "" });
  const merged = existing && mergeCrd(existing, generated);
  if (!existing) await client.create(CRDS, generated);
  else if (merged) await client.replace(path, merged);
}

/**
 * Creates the CRD or adds the version to the existing one; returns it once the API server serves it. Throws REL_KIND_DELETED for one that
 * is being deleted, REL_CHART_SCHEMA, and API errors.
 */
export async function ensureCrd(client: KubeClient, given: Crd): Promise<LiveCrd> {
  const labels = { [CRD_LABEL.name]: CRD_LABEL.value };
  const generated = { ...given, metadata: { ...given.metadata, labels } };
  const path = below(CRDS, generated.metadata.name ?? "");
  await retryConflicts(() => write(client, path, generated));
  for (let tries = 0; tries < ESTABLISHED_TRIES; tries += 1) {
    const live = await client.get<LiveCrd>(path);
    if (live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True")) return live;
    await sleep(100);
  }
  const detail = "the API server does not establish its CRD";
  throw new LandfallError("REL_CHART_SCHEMA", { chart: generated.spec.names.kind, detail });
}
