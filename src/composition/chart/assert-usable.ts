import { join } from "node:path";
import { LandfallError } from "../../errors.ts";
import { readableHelm } from "../helm/explain-failure.ts";
import { type Helm, runHelm } from "../helm/run-helm.ts";
import type { Chart, ChartReference } from "../types.ts";
import { inPrivateFolder } from "./pull-chart.ts";
import { readChart } from "./read-chart.ts";
import { unpackChart } from "./unpack-chart.ts";

export interface UsableInput {
  helm: Pick<Helm, "binary" | "env">;
  reference: ChartReference;
  /** Gets a folder for the time of the call. */
  directory: string;
  /** Throws for a chart that the caller cannot use. */
  check?: (chart: Chart) => void;
}

/** The name that a reference gives its chart; null for the URL of an archive. */
function nameIn({ url, repo }: ChartReference): string | null {
  if (url.startsWith("oci://")) return url.split("/").at(-1) ?? null;
  return url.endsWith(".tgz") ? null : (repo ?? null);
}

/** Throws REL_CHART_UNREADABLE for a chart that is not the one of the reference. `advice` follows the reason. */
export function assertVersion(reference: ChartReference, chart: Chart, advice = ""): void {
  if (reference.version === undefined || reference.version === chart.version) return;
  const detail = `the chart's own version is ${chart.version}, not ${reference.version}${advice}`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail });
}

function assertName(reference: ChartReference, { name }: Chart): void {
  const wanted = nameIn(reference);
  if (wanted === null || wanted === name) return;
  const detail = `the chart's own name is ${name}, not ${wanted}`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail });
}

/** Helm reads the chart, without a cluster. */
async function assertHelmAccepts({ helm, reference }: UsableInput, folder: string, scratch: string): Promise<void> {
  const args = ["package", folder, "--destination", scratch];
  const { code, stderr } = await runHelm({ ...helm, kubeconfig: null }, { args });
  if (code === 0) return;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail: readableHelm(stderr) });
}

/**
 * Checks an archive before it is pinned, since a pin is never replaced: it unpacks, Helm accepts it, it has the name and the
 * version of its reference, and the caller can use it. Throws REL_CHART_UNREADABLE, and what `check` throws.
 */
export async function assertUsable(input: UsableInput, archive: Buffer): Promise<void> {
  const { reference, directory, check } = input;
  await inPrivateFolder(directory, async (scratch) => {
    const folder = join(scratch, "chart");
    await unpackChart(archive, folder, reference.url);
    const chart = await readChart(folder);
    assertName(reference, chart);
    assertVersion(reference, chart);
    await assertHelmAccepts(input, folder, scratch);
    check?.(chart);
  });
}
