import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { LandfallError } from "../../errors.ts";
import { packageChart } from "../../composition/helm/package-chart.ts";
import type { Stage } from "../processes/launch.ts";

export interface PublishedChart {
  name: string;
  version: string;
  /** `oci://…`, without the version. */
  url: string;
}

/** This chart installs Landfall itself. It is not a composition. */
const NOT_A_COMPOSITION = "landfall";

/** The charts of a folder that are compositions. */
export async function chartFolders(charts: string): Promise<string[]> {
  const entries = await readdir(charts, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== NOT_A_COMPOSITION)
    .map((entry) => join(charts, entry.name));
}

async function push(helm: string, args: string[], env: Readonly<Record<string, string>>): Promise<void> {
  const { failed, stderr, shortMessage } = await execa(helm, args, { env, extendEnv: false, reject: false });
  if (!failed) return;
  const detail = stderr.trim() || (shortMessage ?? "");
  throw new LandfallError("TOOL_FAILED", { tool: `${helm} push`, detail });
}

/** Packages the charts of a folder that are compositions, and pushes them to the local registry. Errors: REL_CHART_UNREADABLE, TOOL_FAILED. */
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
    await push(helm, ["push", file, `oci://${registry}/charts`, "--plain-http"], env);
    return { name, version, url: `oci://${registry}/charts/${name}` };
  };
  return Promise.all((await chartFolders(input.charts)).map(publish));
}
