import { during } from "../../cluster/tracing/during.ts";
import { renderChart } from "../helm/render-chart.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { Resource, ServedChart } from "../types.ts";
import { secretNameOf } from "../record/helm-secret.ts";
import type { RecordedRevision } from "../record/release-record.ts";

export interface RecordStart {
  namespace: string;
  release: string;
  values: Record<string, unknown>;
  served: ServedChart;
  /** Revision of the newest copy, no matter who wrote it. */
  revision: number;
  /** Refuses, by an error, what it renders. */
  check: (manifests: Resource[]) => Promise<void>;
}

/** A revision above this was not counted by helm. */
const MAX_REVISION = 1_000_000;

/**
 * Records a release of an earlier version or of Krateo as its object and chart render now. Nothing of what is stored in its
 * namespace is used but the number of its revision. Throws REL_RENDER.
 */
export async function startRecord(context: CompositionContext, start: RecordStart): Promise<RecordedRevision[]> {
  const { namespace, release: name, values, served, check } = start;
  const revision = start.revision >= 1 && start.revision <= MAX_REVISION ? start.revision : 1;
  const input = { chartDir: served.chart.directory, values, name, namespace };
  const slot = { namespace, isDeletion: false, isUrgent: false };
  const manifests = await during("render", () => context.withHelm(slot, (helm) => renderChart({ helm, ...input })));
  await check(manifests);
  const at = new Date(context.nowSeconds() * 1000).toISOString();
  const info = { first_deployed: at, last_deployed: at, status: "deployed", description: "rendered again by Landfall" };
  const metadata = { apiVersion: "v2", name: served.chart.name, version: served.chart.version };
  const manifest = manifests.map((one) => `---\n${JSON.stringify(one)}\n`).join("");
  const recorded: RecordedRevision = {
    ...{
      secret: secretNameOf(name, revision),
      revision,
      status: "deployed",
      createdAt: context.nowSeconds(),
      copy: "",
    },
    labels: { owner: "helm", name, status: "deployed", version: String(revision) },
    release: { name, namespace, version: revision, info, chart: { metadata }, config: values, manifest, hooks: [] },
  };
  await context.records.change(namespace, name, () => [recorded]);
  return [recorded];
}
