import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
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

/** Packages every chart of a folder that is a composition, and pushes it to the local registry. Errors: TOOL_FAILED. */
export async function publishCharts(
  stage: Stage,
  input: { helm: string; charts: string; registry: string },
): Promise<PublishedChart[]> {
  const { helm, registry } = input;
  await mkdir(stage.paths.charts, { recursive: true });
  const publish = async (folder: string): Promise<PublishedChart> => {
    const { name, version } = parse(await readFile(join(folder, "Chart.yaml"), "utf8")) as {
      name: string;
      version: string;
    };
    await runTool(helm, ["package", folder, "--destination", stage.paths.charts], stage.env);
    const file = join(stage.paths.charts, `${name}-${version}.tgz`);
    await runTool(helm, ["push", file, `oci://${registry}/charts`, "--plain-http"], stage.env);
    return { name, version, url: `oci://${registry}/charts/${name}` };
  };
  return Promise.all((await chartFolders(input.charts)).map(publish));
}
