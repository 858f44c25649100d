import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Chart } from "../types.ts";

async function digestOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const parts: (string | Buffer)[] = [];
  for (const file of files.sort()) parts.push(relative(directory, file), "\0", await readFile(file), "\0");
  return sha256(Buffer.concat(parts.map((part) => Buffer.from(part)))).slice(0, 16);
}

async function readObject(file: string, parser: (text: string) => unknown): Promise<Record<string, unknown>> {
  const value = parser(await readFile(file, "utf8"));
  if (isObject(value)) return value;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: file, detail: "the file does not hold an object" });
}

/** `0.1.0, 0.1.1` of the annotation `landfall.dev/also-serves`. */
function readAlsoServes(annotations: unknown): string[] {
  const text = isObject(annotations) ? annotations["landfall.dev/also-serves"] : undefined;
  return typeof text === "string" ? text.split(",").flatMap((version) => version.trim() || []) : [];
}

/** Reads Chart.yaml and values.schema.json of an unpacked chart. Throws REL_CHART_UNREADABLE. */
export async function readChart(path: string): Promise<Chart> {
  const directory = resolve(path);
  try {
    const about = await readObject(join(directory, "Chart.yaml"), (text) => parse(text) as unknown);
    const { name, version } = about;
    if (typeof name !== "string" || typeof version !== "string") {
      throw new LandfallError("REL_CHART_UNREADABLE", { chart: path, detail: "Chart.yaml lacks name or version" });
    }
    const schema = await readObject(join(directory, "values.schema.json"), (text) => JSON.parse(text) as unknown);
    const alsoServes = readAlsoServes(about["annotations"]);
    return { directory, name, version, alsoServes, schema, digest: await digestOf(directory) };
  } catch (thrown) {
    if (thrown instanceof LandfallError) throw thrown;
    throw new LandfallError("REL_CHART_UNREADABLE", { chart: path, detail: messageOf(thrown) }, thrown);
  }
}
