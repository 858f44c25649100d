import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { type ParsedYaml, parseForeignYaml } from "../../model/formats/parse-foreign-yaml.ts";
import type { Chart } from "../types.ts";

async function digestOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash("sha256");
  for (const file of files.sort())
    hash
      .update(`${relative(directory, file)}\0`)
      .update(await readFile(file))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** A file of a chart that is parsed, on the thread that does everything else too. */
interface Parsed {
  name: string;
  /** Bytes. */
  limit: number;
  parse: (text: string) => ParsedYaml;
}

const ABOUT: Parsed = {
  name: "Chart.yaml",
  limit: 32 * 1024,
  parse: (text) => parseForeignYaml(text, { characters: 32 * 1024, tokens: 8000 }),
};
const SCHEMA: Parsed = {
  name: "values.schema.json",
  limit: 1024 * 1024,
  parse: (text) => ({ value: JSON.parse(text) as unknown }),
};

async function readObject(directory: string, { name, limit, parse }: Parsed): Promise<Record<string, unknown>> {
  const file = join(directory, name);
  const { size } = await stat(file);
  const read =
    size > limit ? { problem: `it has more than ${String(limit)} bytes` } : parse(await readFile(file, "utf8"));
  if ("value" in read && isObject(read.value)) return read.value;
  const detail = "problem" in read ? read.problem : "the file does not hold an object";
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: file, detail });
}

/** The CRD holds the schema of each version, and the API server stores 1.5 MiB of it. */
const VERSIONS = { most: 20, characters: 63 };

/** `0.1.0, 0.1.1` of the annotation `landfall.dev/also-serves`, each once. Throws REL_CHART_UNREADABLE for too many or too long ones. */
function readAlsoServes(annotations: unknown, chart: string): string[] {
  const text = isObject(annotations) ? annotations["landfall.dev/also-serves"] : undefined;
  if (typeof text !== "string") return [];
  const versions = [...new Set(text.split(",").flatMap((version) => version.trim() || []))];
  const { most, characters } = VERSIONS;
  if (versions.length <= most && versions.every(({ length }) => length <= characters)) return versions;
  const limits = `at most ${String(most)} of at most ${String(characters)} characters are allowed`;
  const detail = `landfall.dev/also-serves names ${String(versions.length)} versions: ${limits}`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart, detail });
}

/** Reads Chart.yaml and values.schema.json of an unpacked chart. Throws REL_CHART_UNREADABLE. */
export async function readChart(path: string): Promise<Chart> {
  const directory = resolve(path);
  try {
    const about = await readObject(directory, ABOUT);
    const { name, version } = about;
    if (typeof name !== "string" || typeof version !== "string") {
      throw new LandfallError("REL_CHART_UNREADABLE", { chart: path, detail: "Chart.yaml lacks name or version" });
    }
    const schema = await readObject(directory, SCHEMA);
    const alsoServes = readAlsoServes(about["annotations"], path);
    return { directory, name, version, alsoServes, schema, digest: await digestOf(directory) };
  } catch (thrown) {
    if (thrown instanceof LandfallError) throw thrown;
    throw new LandfallError("REL_CHART_UNREADABLE", { chart: path, detail: messageOf(thrown) }, thrown);
  }
}
