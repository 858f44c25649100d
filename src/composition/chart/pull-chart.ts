import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError } from "../../errors.ts";
import { readableHelm } from "../helm/explain-failure.ts";
import { type Helm, type HelmResult, runHelm } from "../helm/run-helm.ts";
import type { ChartReference } from "../types.ts";

export interface PullInput {
  helm: Pick<Helm, "binary" | "env">;
  reference: ChartReference;
  /** Of `credentials.passwordRef`. */
  password: string | null;
  /** Gets a folder for the time of the call, which nobody else may read. */
  directory: string;
}

/** A chart as the registry serves it now. */
export interface PulledChart {
  archive: Buffer;
  /** `sha256:…` of the image's manifest; null for one that is not from an OCI registry. */
  image: string | null;
}

/** Bytes of an archive; the project's own have 20 kB. */
const MAX_BYTES = 20 * 1024 * 1024;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/;
/** Name of the repository in helm's files. */
const REPOSITORY = "landfall";
/** Name and version of a chart that is only known by the URL of its archive. */
const [ARCHIVE, ANY_VERSION] = ["archive", "0.0.0"];

/** The host of a reference, `127.0.0.1:5000` of `oci://127.0.0.1:5000/charts/x`; empty if it has none. */
export const hostOf = (url: string): string => /^[a-z]+:\/\/([^/?#]+)/.exec(url)?.[1]?.replace(/^.*@/, "") ?? "";

/** Whether the registry is on this machine, and so speaks HTTP without TLS. */
export const isLocal = (url: string): boolean => LOOPBACK.test(hostOf(url));

const isOci = ({ url }: ChartReference): boolean => url.startsWith("oci://");
const isArchive = ({ url }: ChartReference): boolean => url.endsWith(".tgz");

function located(reference: ChartReference, hasPassword: boolean): string[] {
  const { url, repo } = reference;
  if (isOci(reference)) return [url];
  // helm takes a password only from its arguments, which every process of the machine may read, or from its files.
  if (hasPassword) return [`${REPOSITORY}/${isArchive(reference) ? ARCHIVE : (repo ?? "")}`];
  return isArchive(reference) || repo === undefined ? [url] : [repo, "--repo", url];
}

/** The arguments of `helm pull`. A password is never among them. */
export function pullArguments(reference: ChartReference, hasPassword: boolean): string[] {
  const { version, insecureSkipVerifyTLS } = reference;
  const known = !isArchive(reference) ? version : hasPassword ? ANY_VERSION : undefined;
  return [
    ...["pull", ...located(reference, hasPassword)],
    ...(known === undefined ? [] : ["--version", known]),
    ...(insecureSkipVerifyTLS === true ? ["--insecure-skip-tls-verify"] : []),
    ...(isOci(reference) && isLocal(reference.url) ? ["--plain-http"] : []),
  ];
}

const writePrivate = (file: string, value: unknown): Promise<void> =>
  writeFile(file, JSON.stringify(value), { mode: 0o600, flag: "wx" });

/** helm's list of repositories, with one that has the credentials. */
async function writeRepository(scratch: string, { reference, password }: PullInput): Promise<string[]> {
  const { url, credentials, insecureSkipVerifyTLS = false } = reference;
  const [file, cache] = [join(scratch, "repositories.yaml"), join(scratch, "cache")];
  await mkdir(cache);
  const known = {
    ...{ name: REPOSITORY, url: isArchive(reference) ? url.slice(0, url.lastIndexOf("/")) : url },
    ...{ username: credentials?.username, password, insecure_skip_tls_verify: insecureSkipVerifyTLS },
  };
  await writePrivate(file, { apiVersion: "", generated: "2000-01-01T00:00:00Z", repositories: [known] });
  if (isArchive(reference)) {
    const entry = { apiVersion: "v2", name: ARCHIVE, version: ANY_VERSION, urls: [url] };
    await writePrivate(join(cache, `${REPOSITORY}-index.yaml`), { apiVersion: "v1", entries: { [ARCHIVE]: [entry] } });
  }
  return ["--repository-config", file, "--repository-cache", cache];
}

/** The folder of a docker configuration that has the credentials of the registry. */
export async function writeLogin(
  scratch: string,
  { reference, password }: Pick<PullInput, "reference" | "password">,
): Promise<string | null> {
  if (!isOci(reference) || !reference.credentials || password === null) return null;
  const auth = Buffer.from(`${reference.credentials.username}:${password}`).toString("base64");
  await writePrivate(join(scratch, "config.json"), { auths: { [hostOf(reference.url)]: { auth } } });
  return scratch;
}

async function loginArguments(scratch: string, input: PullInput): Promise<string[]> {
  const folder = await writeLogin(scratch, input);
  return folder === null ? [] : ["--registry-config", join(folder, "config.json")];
}

/** Calls helm without a cluster. Throws REL_CHART_UNREADABLE. */
export async function callHelm(
  { helm, reference }: Pick<PullInput, "helm" | "reference">,
  args: string[],
): Promise<HelmResult> {
  const result = await runHelm({ ...helm, kubeconfig: null }, { args });
  if (result.code === 0) return result;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail: readableHelm(result.stderr) });
}

async function archiveIn(folder: string, ref: string): Promise<Buffer> {
  const name = (await readdir(folder)).find((file) => file.endsWith(".tgz")) ?? "";
  const file = join(folder, name);
  const { size } = name === "" ? { size: 0 } : await stat(file);
  if (size > 0 && size <= MAX_BYTES) return readFile(file);
  const detail = size === 0 ? "the registry serves no chart" : `${size} bytes are more than ${MAX_BYTES}`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: ref, detail });
}

/** Calls `work` with a new folder that only this user may read, and removes it afterwards. */
export async function inPrivateFolder<T>(directory: string, work: (scratch: string) => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true });
  const scratch = await mkdtemp(join(directory, "pull-"));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Pulls a chart from `oci://…`, an HTTP repository with repo and version, or a .tgz URL. A password reaches helm in files of mode
 * 0600, which are removed. Throws REL_CHART_UNREADABLE.
 */
export async function pullChart(input: PullInput): Promise<PulledChart> {
  const { reference, password, directory } = input;
  return inPrivateFolder(directory, async (scratch) => {
    const secret = !isOci(reference) && reference.credentials !== undefined && password !== null;
    const files = secret ? await writeRepository(scratch, input) : await loginArguments(scratch, input);
    if (secret && !isArchive(reference)) await callHelm(input, ["repo", "update", REPOSITORY, ...files]);
    const target = join(scratch, "chart");
    await mkdir(target);
    const args = [...pullArguments(reference, secret), ...files, "--destination", target];
    const { stdout, stderr } = await callHelm(input, args);
    const image = /\bDigest: (sha256:[0-9a-f]{64})\b/.exec(`${stdout}\n${stderr}`)?.[1] ?? null;
    return { archive: await archiveIn(target, reference.url), image: isOci(reference) ? image : null };
  });
}
