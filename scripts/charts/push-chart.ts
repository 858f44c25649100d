import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { fetchImage } from "../../src/bundle/registry/fetch-image.ts";
import type { Registry } from "../../src/bundle/registry/open-registry.ts";
import { parseReference, referenceTo } from "../../src/bundle/registry/parse-reference.ts";
import { pushImage } from "../../src/bundle/registry/push-image.ts";
import type { RegistryOptions } from "../../src/bundle/registry/registry-options.ts";
import { readableHelm } from "../../src/composition/helm/explain-failure.ts";
import { packageChart } from "../../src/composition/helm/package-chart.ts";
import { type Helm, runHelm } from "../../src/composition/helm/run-helm.ts";
import { LandfallError } from "../../src/errors.ts";
import { sha256Digest } from "../../src/model/sha256.ts";

/** What an image that is no container is called: the type of its one file, and the config that OCI has for "none". */
const DEFINITION = {
  artifactType: "application/vnd.krateo.compositiondefinition.v1alpha1+yaml",
  config: { mediaType: "application/vnd.oci.empty.v1+json", bytes: Buffer.from("{}") },
} as const;

export interface ChartTarget extends RegistryOptions {
  crane: string;
  helm: Helm;
  registry: Registry;
  /** `host[:port]/path`: the chart's name is added. */
  repository: string;
  /** Of the CompositionDefinition; null for a chart that is no kind of the cluster and has none. */
  namespace: string | null;
  /** Where archives and definitions are written. */
  out: string;
}

export interface PushedChart {
  name: string;
  version: string;
  /** The chart, by digest. */
  ref: string;
  /** The CompositionDefinition as an image, by digest, and as a file; null for none. */
  definition: { ref: string; file: string } | null;
  /** It was there before, with the same bytes. */
  known: boolean;
}

/** The version after this one, without what follows its numbers. */
const nextVersion = (version: string): string =>
  version.replace(
    /^(\d+\.\d+)\.(\d+).*$/,
    (_, minor: string, patch: string) => `${minor}.${String(Number(patch) + 1)}`,
  );

/** Whether the registry has the archive under this version. Throws REL_CHART_TAKEN where it has another one. */
async function isThere({ registry }: ChartTarget, ref: string, archive: Buffer): Promise<boolean> {
  const reference = parseReference(ref);
  const image = await fetchImage(registry, reference, { optional: true });
  if (image === null) return false;
  if (image.layers.some(({ digest }) => digest === sha256Digest(archive))) return true;
  throw new LandfallError("REL_CHART_TAKEN", { ref, next: nextVersion(reference.version) });
}

async function helmPush({ helm, repository, plainHttp, ca }: ChartTarget, file: string): Promise<void> {
  const options = [...(plainHttp === true ? ["--plain-http"] : []), ...(ca === undefined ? [] : ["--ca-file", ca])];
  const { code, stderr } = await runHelm(helm, { args: ["push", file, `oci://${repository}`, ...options] });
  if (code !== 0) throw new LandfallError("REL_CHART_PUSH", { ref: repository, detail: readableHelm(stderr) });
}

async function digestOf(target: ChartTarget, ref: string): Promise<string> {
  const image = await fetchImage(target.registry, parseReference(ref));
  if (image === null) throw new LandfallError("REL_CHART_PUSH", { ref, detail: "it is not there after the push" });
  return image.digest;
}

/** The manifest that makes the chart a kind of the cluster, as a file and as `<chart>/definition:<version>`. */
async function pushDefinition(target: ChartTarget, name: string, version: string): Promise<PushedChart["definition"]> {
  const { repository, namespace, out } = target;
  if (namespace === null) return null;
  const text = stringify({
    apiVersion: "core.krateo.io/v1alpha1",
    kind: "CompositionDefinition",
    metadata: { name, namespace },
    spec: { chart: { url: `oci://${repository}/${name}`, version } },
  });
  const file = join(out, `${name}-${version}.definition.yaml`);
  await writeFile(file, text);
  const ref = `${repository}/${name}/definition:${version}`;
  const annotations = { "org.opencontainers.image.title": `${name}-${version}.definition.yaml` };
  const { artifactType, config } = DEFINITION;
  const layers = [{ mediaType: "application/yaml", bytes: Buffer.from(text), annotations }];
  const { digest } = await pushImage({ ...target, ref }, { config, layers, fields: { artifactType } });
  return { ref: referenceTo(parseReference(ref), digest), file };
}

/**
 * Packages a chart and pushes it with its CompositionDefinition. A version that is published is never overwritten; the
 * same chart again changes nothing. Throws REL_CHART_UNREADABLE, REL_CHART_TAKEN, REL_CHART_PUSH, BUNDLE_REGISTRY_….
 */
export async function pushChart(target: ChartTarget, chart: string): Promise<PushedChart> {
  const { helm, repository, out } = target;
  await mkdir(out, { recursive: true });
  const { name, version, file } = await packageChart({ helm, chart, destination: out });
  const tagged = `${repository}/${name}:${version}`;
  const known = await isThere(target, tagged, await readFile(file));
  if (!known) await helmPush(target, file);
  const ref = referenceTo(parseReference(tagged), await digestOf(target, tagged));
  return { name, version, ref, definition: await pushDefinition(target, name, version), known };
}
