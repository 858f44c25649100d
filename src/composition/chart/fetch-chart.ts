import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asLandfallError, LandfallError } from "../../errors.ts";
import { sha256Digest } from "../../model/sha256.ts";
import type { Helm } from "../helm/run-helm.ts";
import type { Chart, ChartReference } from "../types.ts";
import { assertUsable, assertVersion } from "./assert-usable.ts";
import type { ChartTrust } from "./chart-trust.ts";
import type { Pin, Pins } from "./open-pins.ts";
import { hostOf, isLocal, type PulledChart, pullChart } from "./pull-chart.ts";
import { readChart } from "./read-chart.ts";
import { unpackChart } from "./unpack-chart.ts";
import { verifyChart } from "./verify-chart.ts";

export interface FetchInput {
  helm: Pick<Helm, "binary" | "env">;
  reference: ChartReference;
  /** Of `credentials.passwordRef`. */
  password: string | null;
  /** Where charts are unpacked. */
  directory: string;
  pins: Pins;
  trust: ChartTrust;
  /** Throws for a chart that must not be pinned. */
  check?: (chart: Chart) => void;
}

export interface FetchedChart extends Chart {
  /** `sha256:…` of the archive that is pinned; null for a directory. */
  pinned: string | null;
  /** What needs attention though the chart is used: REL_CHART_MOVED, or why the registry could not be asked. */
  problem: LandfallError | null;
}

/** The directory of a reference; null if it must be fetched. */
async function localDirectory(url: string): Promise<string | null> {
  const path = url.startsWith("file://") ? fileURLToPath(url) : url;
  if (!path.startsWith("/")) return null;
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return path;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: url, detail: "no such directory" });
}

/**
 * Throws REL_CHART_HOST and REL_CHART_PLAIN: whoever writes a definition could otherwise have a password sent to any host, or to anyone on
 * the way to it.
 */
export function assertPasswordHost(
  { url, credentials, insecureSkipVerifyTLS }: ChartReference,
  { passwordHosts }: Pick<ChartTrust, "passwordHosts">,
): void {
  if (credentials === undefined) return;
  const host = hostOf(url).toLowerCase();
  if (!passwordHosts.includes(host)) throw new LandfallError("REL_CHART_HOST", { chart: url, host });
  const hasTls = /^(https|oci):/.test(url) && insecureSkipVerifyTLS !== true;
  if (!hasTls && !isLocal(url)) throw new LandfallError("REL_CHART_PLAIN", { chart: url, host });
}

const archivePath = (directory: string, digest: string): string => join(directory, digest.replace("sha256:", ""));

/** The archive of a pin: from the registry, the record, or the disk. */
async function contentOf(input: FetchInput, pin: Pin, pulled: PulledChart | null): Promise<Buffer> {
  if (pulled !== null && sha256Digest(pulled.archive) === pin.archive) return pulled.archive;
  if (pin.content !== null) return pin.content;
  const kept = await readFile(`${archivePath(input.directory, pin.archive)}.tgz`).catch(() => null);
  if (kept !== null && sha256Digest(kept) === pin.archive) return kept;
  const detail = `its pinned content ${pin.archive} is neither in the registry nor on disk`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: input.reference.url, detail });
}

async function pinOf(input: FetchInput, pulled: PulledChart | null, failure: unknown): Promise<Pin> {
  const { pins, reference } = input;
  const known = await pins.read(reference);
  if (known !== null) {
    await verifyChart(input, known);
    return known;
  }
  if (pulled === null) throw failure;
  const { archive: content, image } = pulled;
  const found = { archive: sha256Digest(content), image, signers: [], content };
  const verified = await verifyChart(input, found);
  await assertUsable(input, content);
  return pins.create(reference, { ...found, ...verified, archive: found.archive, content });
}

function moved({ reference, pins }: FetchInput, pin: Pin, pulled: PulledChart): LandfallError | null {
  const found = sha256Digest(pulled.archive);
  if (found === pin.archive) return null;
  const { url: chart, version = "" } = reference;
  const params = { chart, version, pinned: pin.archive, found, secret: pins.nameOf(reference) };
  return new LandfallError("REL_CHART_MOVED", params);
}

async function fetchPinned(input: FetchInput): Promise<FetchedChart> {
  const { reference, directory } = input;
  let [pulled, failure] = [null as PulledChart | null, null as unknown];
  try {
    pulled = await pullChart(input);
  } catch (thrown) {
    failure = thrown;
  }
  const pin = await pinOf(input, pulled, failure);
  const content = await contentOf(input, pin, pulled);
  const target = archivePath(directory, pin.archive);
  await unpackChart(content, target, reference.url);
  await writeFile(`${target}.tgz`, content);
  const problem = pulled === null ? asLandfallError(failure) : moved(input, pin, pulled);
  return { ...(await readChart(target)), pinned: pin.archive, problem };
}

/**
 * Fetches a chart to disk: `oci://…`, an HTTP repository with repo and version, a .tgz URL, or a directory. What a reference
 * names is pinned by its digest when it is first used, and used from then on, whatever the registry serves later. Nothing is pinned
 * that cannot be used. A directory is read as it is. Throws REL_CHART_UNREADABLE, REL_CHART_HOST, REL_CHART_PLAIN, REL_CHART_SIGNATURE.
 */
export async function fetchChart(input: FetchInput): Promise<FetchedChart> {
  const { reference } = input;
  const local = await localDirectory(reference.url);
  if (local !== null) return { ...(await readChart(local)), pinned: null, problem: null };
  assertPasswordHost(reference, input.trust);
  await mkdir(input.directory, { recursive: true });
  const chart = await fetchPinned(input);
  // Pins that were made before assertUsable existed were not checked.
  assertVersion(reference, chart, `; delete Secret ${input.pins.nameOf(reference)} to pin what is served now`);
  return chart;
}
