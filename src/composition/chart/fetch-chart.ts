import { randomUUID } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asLandfallError, LandfallError } from "../../errors.ts";
import type { ChartRegistry } from "../../model/chart-registry.ts";
import { sha256Digest } from "../../model/sha256.ts";
import { withoutVersion } from "../../model/text/image-version.ts";
import type { Helm } from "../helm/run-helm.ts";
import type { Chart, ChartReference } from "../types.ts";
import { assertUsable, assertVersion } from "./assert-usable.ts";
import type { ChartTrust } from "./chart-trust.ts";
import type { Pin, Pins } from "./open-pins.ts";
import { hostOf, isLocal, isOci, pullChart, servedDigest } from "./pull-chart.ts";
import { readChart } from "./read-chart.ts";
import { unpackChart } from "./unpack-chart.ts";
import { verifyChart } from "./verify-chart.ts";

export interface FetchInput {
  helm: Pick<Helm, "binary" | "env">;
  registry: ChartRegistry;
  reference: ChartReference;
  /** Of `credentials.passwordRef`. */
  password: string | null;
  /** The folder in which charts are unpacked. */
  directory: string;
  pins: Pins;
  trust: ChartTrust;
  /** Throws for a chart that must not be pinned. */
  check?: (chart: Chart) => void;
}

export interface FetchedChart extends Chart {
  /** `sha256:…` of the archive that is pinned; null for a directory. */
  pinned: string | null;
}

/** The directory of a reference; null if it must be fetched. */
async function localDirectory(url: string): Promise<string | null> {
  const path = url.startsWith("file://") ? fileURLToPath(url) : url;
  if (!path.startsWith("/")) return null;
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return path;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: url, detail: "no such directory" });
}

/** A chart in a directory, as a copy: the directory may be edited while objects still have what it holds now. */
async function keepDirectory(local: string, directory: string): Promise<Chart> {
  const { digest } = await readChart(local);
  const target = join(directory, `directory-${digest}`);
  if ((await stat(target).catch(() => null)) === null) {
    const copy = `${target}.${randomUUID()}`;
    await cp(local, copy, { recursive: true, dereference: true });
    await rename(copy, target).catch(() => rm(copy, { recursive: true, force: true }));
  }
  return readChart(target);
}

/**
 * Throws REL_CHART_HOST and REL_CHART_PLAIN: anyone who writes a definition could otherwise have a password sent to any host, or to anyone on
 * the way to it.
 */
export function assertPasswordHost(
  { url, credentials, insecureSkipVerifyTLS }: ChartReference,
  { passwordHosts }: Pick<ChartTrust, "passwordHosts">,
): void {
  if (credentials === undefined) return;
  const host = hostOf(url);
  if (!passwordHosts.includes(host)) throw new LandfallError("REL_CHART_HOST", { chart: url, host });
  const hasTls = /^(https|oci):/.test(url) && insecureSkipVerifyTLS !== true;
  if (!hasTls && !isLocal(url)) throw new LandfallError("REL_CHART_PLAIN", { chart: url, host });
}

const archivePath = (directory: string, digest: string): string => join(directory, digest.replace("sha256:", ""));

/** By the digests of the pin where the registry has digests, otherwise by the reference. */
async function pullPinned(input: FetchInput, pin: Pin): Promise<Buffer> {
  const { url } = input.reference;
  const byDigest = isOci({ url }) && pin.image !== null;
  const reference = byDigest
    ? { ...input.reference, url: `${withoutVersion(url)}@${String(pin.image)}` }
    : input.reference;
  const { archive } = await pullChart({ ...input, reference });
  if (sha256Digest(archive) === pin.archive) return archive;
  const detail = `its pinned content ${pin.archive} is neither on disk nor in the registry`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: url, detail });
}

/** The archive of a pin: from the record, the disk, or the registry. */
async function contentOf(input: FetchInput, pin: Pin): Promise<Buffer> {
  if (pin.content !== null) return pin.content;
  const kept = await readFile(`${archivePath(input.directory, pin.archive)}.tgz`).catch(() => null);
  return kept !== null && sha256Digest(kept) === pin.archive ? kept : pullPinned(input, pin);
}

/** Pins what the registry serves now, if it can be used. */
async function pinServed(input: FetchInput): Promise<Pin> {
  const { archive: content, image } = await pullChart(input);
  const found = { archive: sha256Digest(content), image, signers: [], content };
  const verified = await verifyChart(input, found);
  await assertUsable(input, content);
  const { pins, reference } = input;
  const pin = await pins.create(reference, { ...found, ...verified, archive: found.archive, content });
  return pin.archive === found.archive ? { ...pin, content } : pin;
}

async function fetchPinned(input: FetchInput): Promise<FetchedChart> {
  const { reference, directory, pins } = input;
  const known = await pins.read(reference);
  if (known !== null) await verifyChart(input, known);
  const pin = known ?? (await pinServed(input));
  const content = await contentOf(input, pin);
  const target = archivePath(directory, pin.archive);
  await unpackChart(content, target, reference.url);
  await writeFile(`${target}.tgz`, content);
  return { ...(await readChart(target)), pinned: pin.archive };
}

/**
 * A problem although the pinned chart is used: REL_CHART_MOVED, or why the registry cannot be asked; null for nothing.
 * Never throws.
 */
export async function askRegistry(
  input: Omit<FetchInput, "helm" | "check">,
  pinned: string,
): Promise<LandfallError | null> {
  const { reference, pins, trust } = input;
  try {
    assertPasswordHost(reference, trust);
    const found = await servedDigest(input);
    const { url: chart, version = "" } = reference;
    if (found === pinned) return null;
    return new LandfallError("REL_CHART_MOVED", { chart, version, pinned, found, secret: pins.nameOf(reference) });
  } catch (thrown) {
    return asLandfallError(thrown);
  }
}

/**
 * Fetches a chart to disk: `oci://…`, an HTTP repository with repo and version, a .tgz URL, or a directory. What a reference
 * names is pinned by its digest when it is first used, and used from then on, whatever the registry serves later: it is not even
 * asked. Nothing is pinned that cannot be used. A directory is copied as it is. Throws REL_CHART_UNREADABLE, REL_CHART_HOST, REL_CHART_PLAIN, REL_CHART_SIGNATURE.
 */
export async function fetchChart(input: FetchInput): Promise<FetchedChart> {
  const { reference } = input;
  const local = await localDirectory(reference.url);
  if (local !== null) return { ...(await keepDirectory(local, input.directory)), pinned: null };
  assertPasswordHost(reference, input.trust);
  await mkdir(input.directory, { recursive: true });
  const chart = await fetchPinned(input);
  // Pins that were made before assertUsable existed were not checked.
  assertVersion(reference, chart, `; delete Secret ${input.pins.nameOf(reference)} to pin what is served now`);
  return chart;
}
