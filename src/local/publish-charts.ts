import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { packageChart } from "../composition/helm/package-chart.ts";
import type { Stage } from "./launch.ts";
import { runTool } from "./run-tool.ts";

export interface PublishedChart {
  name: string;
  version: string;
  /** `oci://…`, without the version. */
  url: string;
}

/** Installs Landfall itself; nobody composes from it. */
const NOT_A_COMPOSITION = "landfall";

async function chartFolders(charts: string): Promise<string[]> {
  const entries = await readdir(charts, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== NOT_A_COMPOSITION)
    .map((entry) => join(charts, entry.name));
}

/** Packages every chart of a folder that is a composition, and pushes it to the local registry. Errors: REL_CHART_UNREADABLE, TOOL_FAILED. */
export async function publishCharts(
  stage: Stage,
  input: { helm: string; charts: string; registry: string },
): Promise<PublishedChart[]> {
  const { helm, registry } = input;
  const env = Object.fromEntries(
    Object.entries(stage.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const publish = async (chart: string): Promise<PublishedChart> => {
    const destination = stage.paths.charts;
    const { name, version, file } = await packageChart({ helm: { binary: helm, env }, chart, destination });
    await runTool(helm, ["push", file, `oci://${registry}/charts`, "--plain-http"], env);
    return { name, version, url: `oci://${registry}/charts/${name}` };
  };
  return Promise.all((await chartFolders(input.charts)).map(publish));
}
