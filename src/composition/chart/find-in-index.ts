import { LandfallError } from "../../errors.ts";
import { isObject, textOf } from "../../model/json.ts";
import { parseForeignYaml } from "../../model/formats/parse-foreign-yaml.ts";
import { newestVersion } from "./newest-version.ts";

/** The entry of one version of a chart in the index of a chart repository. */
export interface IndexEntry {
  version: string;
  /** Absolute, or relative to the repository. */
  url: string;
  /** `sha256:…` of the archive; null if the index names none. */
  digest: string | null;
}

/** Characters that are parsed as YAML in one piece. */
const MOST_YAML = 32 * 1024;
const MOST_JSON = 4 * 1024 * 1024;
/** Lines of an index: each takes time of the thread that does everything else too. Those of large repositories have about half as many. */
const MOST_LINES = 1_000_000;

/** The value of an index, or of an item. Throws REL_CHART_UNREADABLE. */
function parseYaml(text: string): unknown {
  const read = parseForeignYaml(text, { characters: MOST_YAML, tokens: 12_000 });
  if ("value" in read) return read.value;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: "index.yaml", detail: read.problem });
}

const SPACE = 32;

/** The lines of a text, one by one. Throws REL_CHART_UNREADABLE for too many. */
function* linesOf(text: string): Generator<string> {
  for (let [at, count] = [0, 1]; at < text.length; count += 1) {
    if (count > MOST_LINES) {
      const detail = `it has more than ${String(MOST_LINES)} lines`;
      throw new LandfallError("REL_CHART_UNREADABLE", { chart: "index.yaml", detail });
    }
    const end = text.indexOf("\n", at);
    yield text.slice(at, end < 0 ? text.length : end).trimEnd();
    at = end < 0 ? text.length : end + 1;
  }
}

function indentOf(line: string): number {
  let count = 0;
  while (line.charCodeAt(count) === SPACE) count += 1;
  return count;
}
const isEmpty = (line: string): boolean => line === "" || line.trimStart().startsWith("#");
const keyOf = (line: string): string | null => /^ *["']?([^\s"':]+)["']?:$/.exec(line)?.[1] ?? null;

/** The lines below `entries`. */
function* linesOfEntries(text: string): Generator<string> {
  let inside = false;
  for (const line of linesOf(text)) {
    if (isEmpty(line)) continue;
    if (indentOf(line) > 0 || line.startsWith("-")) {
      if (inside) yield line;
    } else inside = line === "entries:";
  }
}

/** Of these, the lines below this chart. `helm repo index` indents lists as deep as their keys. */
function* linesOfChart(text: string, name: string): Generator<string> {
  let [keys, found] = [-1, false];
  for (const line of linesOfEntries(text)) {
    const indent = indentOf(line);
    if (keys < 0) keys = indent;
    const isKey = indent <= keys && !line.startsWith("-", indent);
    if (isKey) found = keyOf(line) === name;
    else if (found) yield line;
  }
}

/** The items of the chart's list, each as the text of a mapping; of one that is too long to be parsed, only the beginning. */
function* itemsOf(text: string, name: string): Generator<string> {
  let [item, depth] = ["", -1];
  for (const line of linesOfChart(text, name)) {
    if (depth < 0) depth = indentOf(line);
    const begins = indentOf(line) === depth && line.startsWith("- ", depth);
    if (begins && item !== "") yield item;
    if (begins) item = ` ${line.slice(depth + 1)}\n`;
    else if (item.length <= MOST_YAML) item += `${line.slice(depth)}\n`;
  }
  if (item !== "") yield item;
}

const VERSION = /^ {2}version: {0,8}["']?([^\s"']{1,256})["']?$/m;

/** The items of a large index: of these, only one is parsed. */
function itemOf(text: string, name: string, wanted: string | undefined): unknown {
  const items = new Map<string, string>();
  for (const item of itemsOf(text, name)) {
    const version = VERSION.exec(item)?.[1];
    if (version !== undefined && (wanted === undefined || wanted === version)) items.set(version, item);
  }
  const item = items.get(wanted ?? newestVersion(items.keys()) ?? "") ?? "";
  return item.length > MOST_YAML ? undefined : parseYaml(item);
}

/** The item of an index that is parsed as a whole. */
function itemIn(index: unknown, name: string, wanted: string | undefined): unknown {
  const entries = isObject(index) && isObject(index["entries"]) ? index["entries"][name] : undefined;
  const items = Array.isArray(entries) ? entries.filter(isObject) : [];
  const version = wanted ?? newestVersion(items.map((item) => textOf(item["version"])));
  return items.find((item) => item["version"] === version);
}

/** `helm repo index` writes hexadecimal digits only. */
const digestOf = (text: string): string => `sha256:${text.toLowerCase().replace(/^sha256:/, "")}`;

/** Characters of a version, of `sha256:` and a digest, and of an address. */
const MOST = { version: 256, digest: 128, url: 2048 };

/** The fields get into addresses, names and messages. */
function checkLength(entry: Record<keyof typeof MOST, unknown>): void {
  const isLong = (field: keyof typeof MOST): boolean => textOf(entry[field]).length > MOST[field];
  const long = (["version", "digest", "url"] as const).find(isLong);
  if (long === undefined) return;
  const detail = `the ${long} of an entry has more than ${String(MOST[long])} characters`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: "index.yaml", detail });
}

function entryOf(item: unknown): IndexEntry | null {
  const { version, urls, digest } = isObject(item) ? item : {};
  const url: unknown = Array.isArray(urls) ? urls[0] : undefined;
  checkLength({ version, digest, url });
  if (typeof version !== "string" || typeof url !== "string") return null;
  return { version, url, digest: typeof digest === "string" && digest !== "" ? digestOf(digest) : null };
}

/**
 * The entry of a chart in a repository's index.yaml: of this version, or the newest without pre-releases; null for none. The index
 * is not trusted, and can be large: of one in block style, as helm writes it, only the entry itself is parsed; others may have
 * 4 MiB of JSON or 32 KiB of YAML. Throws REL_CHART_UNREADABLE for YAML, too many lines and long fields, and the parser's error for JSON.
 */
export function findInIndex(text: string, name: string, version: string | undefined): IndexEntry | null {
  if (text.trimStart().startsWith("{") && text.length > MOST_YAML)
    return text.length > MOST_JSON ? null : entryOf(itemIn(JSON.parse(text), name, version));
  if (text.length <= MOST_YAML) return entryOf(itemIn(parseYaml(text), name, version));
  return entryOf(itemOf(text, name, version));
}
