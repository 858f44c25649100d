import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parse } from "yaml";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { readableHelm } from "./explain-failure.ts";
import { type Helm, runHelm } from "./run-helm.ts";

export interface PackageInput {
  helm: Pick<Helm, "binary" | "env">;
  /** The chart's folder. */
  chart: string;
  /** Folder of the archive. */
  destination: string;
}

export interface PackagedChart {
  name: string;
  version: string;
  file: string;
}

/** Helm writes each file's time into the archive, and the archive's time into the image, so all use this one. */
const TIME = new Date("1980-01-01T00:00:00Z");

async function nameOf(chart: string): Promise<{ name: string; version: string }> {
  const text = await readFile(join(chart, "Chart.yaml"), "utf8").catch((thrown: unknown) => {
    throw new LandfallError("REL_CHART_UNREADABLE", { chart, detail: messageOf(thrown) }, thrown);
  });
  const about: unknown = parse(text);
  if (isObject(about) && typeof about["name"] === "string" && typeof about["version"] === "string")
    return { name: about["name"], version: about["version"] };
  throw new LandfallError("REL_CHART_UNREADABLE", { chart, detail: "Chart.yaml lacks name or version" });
}

/** A copy in which all files have the same time. */
async function copyTimeless(chart: string, target: string): Promise<void> {
  await cp(chart, target, { recursive: true });
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if ((await lstat(path)).isFile()) await utimes(path, TIME, TIME);
  }
}

/** `helm package` with equal bytes for equal charts. Throws REL_CHART_UNREADABLE. */
export async function packageChart({ helm, chart, destination }: PackageInput): Promise<PackagedChart> {
  const { name, version } = await nameOf(chart);
  const scratch = await mkdtemp(join(tmpdir(), "landfall-chart-"));
  try {
    const copy = join(scratch, basename(resolve(chart)));
    await copyTimeless(chart, copy);
    await mkdir(destination, { recursive: true });
    const args = ["package", copy, "--destination", destination];
    const { code, stderr } = await runHelm({ ...helm, kubeconfig: null }, { args });
    if (code !== 0) throw new LandfallError("REL_CHART_UNREADABLE", { chart, detail: readableHelm(stderr) });
    const file = join(destination, `${name}-${version}.tgz`);
    await utimes(file, TIME, TIME);
    return { name, version, file };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
