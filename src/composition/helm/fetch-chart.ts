import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, writeFile, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { LandfallError, messageOf } from "../../errors.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Chart, ChartReference } from "../types.ts";
import { readableHelm } from "./explain-failure.ts";
import { type Helm, runHelm } from "./run-helm.ts";
import { isObject } from "../../model/json.ts";

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

/** Reads Chart.yaml and values.schema.json of an unpacked chart. Throws REL_CHART_UNREADABLE. */
async function readChart(path: string): Promise<Chart> {
  const directory = resolve(path);
  try {
    const about = await readObject(join(directory, "Chart.yaml"), (text) => parse(text) as unknown);
    const { name, version } = about;
    if (typeof name !== "string" || typeof version !== "string") {
      throw new LandfallError("REL_CHART_UNREADABLE", { chart: path, detail: "Chart.yaml lacks name or version" });
    }
    const schema = await readObject(join(directory, "values.schema.json"), (text) => JSON.parse(text) as unknown);
    return { directory, name, version, schema, digest: await digestOf(directory) };
  } catch (thrown) {
    if (thrown instanceof LandfallError) throw thrown;
    throw new LandfallError("REL_CHART_UNREADABLE", { chart: path, detail: messageOf(thrown) }, thrown);
  }
}

export interface FetchInput {
  helm: Helm;
  reference: ChartReference;
  /** Of `credentials.passwordRef`. */
  password: string | null;
  /** Where charts are unpacked. */
  directory: string;
  /** Receives the reason why a chart from an earlier start is used: the registry did not answer. */
  onStale?: (failure: LandfallError) => void;
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/;

/** The host of a reference, `127.0.0.1:5000` of `oci://127.0.0.1:5000/charts/x`; empty if it has none. */
const hostOf = (url: string): string => /^[a-z]+:\/\/([^/]+)/.exec(url)?.[1] ?? "";

/** The directory of a reference; null if it must be fetched. */
async function localDirectory(url: string): Promise<string | null> {
  const path = url.startsWith("file://") ? fileURLToPath(url) : url;
  if (!path.startsWith("/")) return null;
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return path;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: url, detail: "no such directory" });
}

/** Credentials of an HTTP repository; those of an OCI registry are passed in a file. */
const loginArguments = ({ url, credentials }: ChartReference, password: string | null): string[] =>
  !url.startsWith("oci://") && credentials && password !== null
    ? ["--username", credentials.username, "--password", password]
    : [];

/** The arguments of `helm pull`. */
export function pullArguments(reference: ChartReference, password: string | null): string[] {
  const { url, repo, version, insecureSkipVerifyTLS } = reference;
  const oci = url.startsWith("oci://");
  const archive = url.endsWith(".tgz");
  return [
    ...["pull", ...(oci || archive || repo === undefined ? [url] : [repo, "--repo", url])],
    ...(version !== undefined && !archive ? ["--version", version] : []),
    ...(insecureSkipVerifyTLS === true ? ["--insecure-skip-tls-verify"] : []),
    ...(oci && LOOPBACK.test(hostOf(url)) ? ["--plain-http"] : []),
    ...loginArguments(reference, password),
  ];
}

async function registryConfig(input: FetchInput, directory: string): Promise<string[]> {
  const { reference, password } = input;
  if (!reference.url.startsWith("oci://") || !reference.credentials || password === null) return [];
  const file = join(directory, "registry.json");
  const auth = Buffer.from(`${reference.credentials.username}:${password}`).toString("base64");
  await writeFile(file, JSON.stringify({ auths: { [hostOf(reference.url)]: { auth } } }), { mode: 0o600 });
  return ["--registry-config", file];
}

async function pull(input: FetchInput, target: string): Promise<void> {
  const { helm, reference, password } = input;
  const scratch = `${target}.${randomUUID()}`;
  await mkdir(join(scratch, "chart"), { recursive: true });
  try {
    const args = [...pullArguments(reference, password), ...(await registryConfig(input, scratch))];
    const untar = ["--untar", "--untardir", join(scratch, "chart")];
    const result = await runHelm({ ...helm, kubeconfig: null }, { args: [...args, ...untar] });
    if (result.code !== 0) {
      const detail = readableHelm(result.stderr);
      throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail });
    }
    const entries = await readdir(join(scratch, "chart"), { withFileTypes: true });
    const unpacked = entries.find((entry) => entry.isDirectory())?.name ?? "";
    await rm(target, { recursive: true, force: true });
    await rename(join(scratch, "chart", unpacked), target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Pulls at every start, because a tag may move; if the registry is unavailable, the copy on disk is used. */
async function pullOrKeep(input: FetchInput, target: string): Promise<Chart> {
  try {
    await pull(input, target);
  } catch (thrown) {
    const kept = await readChart(target).catch(() => null);
    if (!kept || !(thrown instanceof LandfallError)) throw thrown;
    input.onStale?.(thrown);
    return kept;
  }
  return readChart(target);
}

/**
 * Fetches a chart to disk: `oci://…`, an HTTP repository with repo and version, a .tgz URL, or a directory. A chart is
 * unpacked once per reference and version. Throws REL_CHART_UNREADABLE.
 */
export async function fetchChart(input: FetchInput): Promise<Chart> {
  const { reference } = input;
  const local = await localDirectory(reference.url);
  if (local !== null) return readChart(local);
  const id = sha256(JSON.stringify([reference.url, reference.repo, reference.version]));
  await mkdir(input.directory, { recursive: true });
  const target = join(input.directory, id.slice(0, 24));
  const chart = await pullOrKeep(input, target);
  if (reference.version === undefined || reference.version === chart.version) return chart;
  const detail = `the chart's own version is ${chart.version}, not ${reference.version}`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail });
}
