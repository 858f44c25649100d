import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../../errors.ts";
import type { ChartRegistry, ImageAsk, ImageLayer } from "../../model/chart-registry.ts";
import { sha256Digest } from "../../model/sha256.ts";
import { namesVersion } from "../../model/text/image-version.ts";
import type { ChartReference } from "../types.ts";
import { findInIndex, type IndexEntry } from "./find-in-index.ts";
import { newestVersion } from "./newest-version.ts";

export interface PullInput {
  registry: ChartRegistry;
  reference: ChartReference;
  /** Of `credentials.passwordRef`. */
  password: string | null;
  /** Gets a folder for the time of the call, which no one else may read. */
  directory: string;
}

/** A chart as the registry serves it now. */
export interface PulledChart {
  archive: Buffer;
  /** `sha256:…` of the image's manifest; null for one that is not from an OCI registry. */
  image: string | null;
}

/** A chart that was found and not read yet. */
interface Found {
  /** `sha256:…` of the archive, where it is known without reading it. */
  digest: string | null;
  image: string | null;
  read: () => Promise<Buffer>;
}

/** Bytes of an archive; the project's own have 20 kB. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Bytes of a repository's index. */
const MAX_INDEX = 16 * 1024 * 1024;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/;
/** Of the layer with the archive; the second is of Helm before 3.7. */
const CHART_LAYER = new Set(["application/vnd.cncf.helm.chart.content.v1.tar+gzip", "application/tar+gzip"]);

/** The host of an OCI reference with its port, as clients of registries take it. */
const OCI_HOST = /^oci:\/\/((?:[a-z0-9.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?)\//i;

/**
 * The host of a reference, `127.0.0.1:5000` of `oci://127.0.0.1:5000/charts/x`; empty if it has none. Of other addresses it is the one
 * that requests go to: only the parser of requests knows that `https://a\@b/` is an address of `a`.
 */
export const hostOf = (url: string): string =>
  ((url.startsWith("oci:") ? OCI_HOST.exec(url)?.[1] : URL.parse(url)?.host) ?? "").toLowerCase();

/** Whether the registry is on this machine, and so speaks HTTP without TLS. */
export const isLocal = (url: string): boolean => LOOPBACK.test(hostOf(url));

export const isOci = ({ url }: Pick<ChartReference, "url">): boolean => url.startsWith("oci://");

const unreadable = (chart: string, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("REL_CHART_UNREADABLE", { chart, detail }, cause);

/** The folder of a docker configuration that has the credentials of the registry. */
export async function writeLogin(
  scratch: string,
  { reference, password }: Pick<PullInput, "reference" | "password">,
): Promise<string | null> {
  if (!isOci(reference) || !reference.credentials || password === null) return null;
  const auth = Buffer.from(`${reference.credentials.username}:${password}`).toString("base64");
  const config = JSON.stringify({ auths: { [hostOf(reference.url)]: { auth } } });
  await writeFile(join(scratch, "config.json"), config, { mode: 0o600, flag: "wx" });
  return scratch;
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

/** `host/repository` of an OCI reference with the tag of this version, unless it names a tag or digest itself. */
export const imageRef = (url: string, version: string): string => {
  const ref = url.replace("oci://", "");
  return namesVersion(ref) ? ref : `${ref}:${version.replaceAll("+", "_")}`;
};

async function versionOf(registry: ChartRegistry, ask: ImageAsk): Promise<string> {
  const newest = newestVersion(await registry.tags(ask));
  if (newest !== null) return newest;
  throw unreadable(`oci://${ask.ref}`, "no tag of its repository is a version; name one with spec.chart.version");
}

function chartLayer(layers: readonly ImageLayer[], chart: string): ImageLayer {
  const found = layers.find(({ mediaType }) => CHART_LAYER.has(mediaType));
  if (found !== undefined) return found;
  throw unreadable(chart, "its image has no layer with a Helm chart");
}

async function findImage(input: PullInput, scratch: string): Promise<Found> {
  const { registry, reference } = input;
  const { url, version, insecureSkipVerifyTLS: insecure = false } = reference;
  const repository = url.replace("oci://", "");
  const login = await writeLogin(scratch, input);
  const ask = { ref: repository, login, plainHttp: isLocal(url), insecure };
  const isNamed = version !== undefined || namesVersion(repository);
  const image = { ...ask, ref: imageRef(url, isNamed ? (version ?? "") : await versionOf(registry, ask)) };
  const { digest, layers } = await registry.image(image);
  const layer = chartLayer(layers, url);
  return { digest: layer.digest, image: digest, read: () => registry.layer(image, layer, MAX_BYTES) };
}

/** The header of the definition's credentials; null for another origin than the definition's. */
function authorizationFor(address: string, { reference, password }: PullInput): string | null {
  const { url, credentials } = reference;
  if (!credentials || password === null || URL.parse(address)?.origin !== URL.parse(url)?.origin) return null;
  return `Basic ${Buffer.from(`${credentials.username}:${password}`).toString("base64")}`;
}

function download(input: PullInput, address: string, limit: number): Promise<Buffer> {
  const { insecureSkipVerifyTLS: insecure = false } = input.reference;
  return input.registry.download(address, { limit, authorization: authorizationFor(address, input), insecure });
}

/** An archive; when it is read, one that has not this digest throws REL_CHART_UNREADABLE. Null: any digest. */
function fileAt(input: PullInput, address: string, digest: string | null = null): Found {
  const read = async (): Promise<Buffer> => {
    const archive = await download(input, address, MAX_BYTES);
    const found = sha256Digest(archive);
    if (digest === null || digest === found) return archive;
    throw unreadable(address, `its digest is ${found}; the index of its repository has ${digest}`);
  };
  return { digest: null, image: null, read };
}

/** The archive that an index names. Throws REL_CHART_UNREADABLE for one without TLS from a repository with TLS. */
function entryAt(input: PullInput, base: string, { url, digest }: IndexEntry): Found {
  const { href: address, protocol } = new URL(url, base);
  if (new URL(base).protocol === "https:" && protocol !== "https:")
    throw unreadable(input.reference.url, `its index has TLS, but names an archive without TLS: ${address}`);
  return fileAt(input, address, digest);
}

async function findInRepository(input: PullInput, repo: string, scratch: string): Promise<Found> {
  const { url, version } = input.reference;
  const base = url.endsWith("/") ? url : `${url}/`;
  const index = await download(input, new URL("index.yaml", base).href, MAX_INDEX);
  const entry = findInIndex(index.toString("utf8"), repo, version);
  if (entry === null) throw unreadable(url, `its index has no ${repo} ${version ?? "of a stable version"}`);
  if (!isOci(entry)) return entryAt(input, base, entry);
  // A registry that the index names gets no password.
  return findImage({ ...input, reference: { url: entry.url, version: entry.version }, password: null }, scratch);
}

function find(input: PullInput, scratch: string): Promise<Found> {
  const { url, repo } = input.reference;
  if (isOci(input.reference)) return findImage(input, scratch);
  if (repo !== undefined && !url.endsWith(".tgz")) return findInRepository(input, repo, scratch);
  return Promise.resolve(fileAt(input, url));
}

/** Throws REL_CHART_UNREADABLE for whatever is wrong with a registry or its answer. */
async function withFound<T>(input: PullInput, work: (found: Found) => Promise<T>): Promise<T> {
  try {
    return await inPrivateFolder(input.directory, async (scratch) => work(await find(input, scratch)));
  } catch (thrown) {
    if (thrown instanceof LandfallError && thrown.code.startsWith("REL_")) throw thrown;
    throw unreadable(input.reference.url, messageOf(thrown), thrown);
  }
}

/**
 * Pulls a chart from `oci://…`, an HTTP repository with repo and version, or a .tgz URL. No answer is read further than its limit:
 * the registry is not trusted. Throws REL_CHART_UNREADABLE.
 */
export const pullChart = (input: PullInput): Promise<PulledChart> =>
  withFound(input, async ({ image, read }) => ({ archive: await read(), image }));

/** `sha256:…` of the archive that the registry serves now; of an OCI registry, only the manifest is read. Throws REL_CHART_UNREADABLE. */
export const servedDigest = (input: PullInput): Promise<string> =>
  withFound(input, async ({ digest, read }) => digest ?? sha256Digest(await read()));
