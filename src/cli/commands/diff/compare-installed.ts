import { isDeepStrictEqual } from "node:util";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { type Discovery, objectPath } from "../../../cluster/discover.ts";
import { listRevisions, readManifest } from "../../../composition/helm/release-storage.ts";
import { releaseName } from "../../../composition/release/find-release.ts";
import { parseManifest } from "../../../composition/helm/parse-manifest.ts";
import { isObject } from "../../../model/json.ts";
import type { KubernetesObject, Resource } from "../../../model/kubernetes.ts";
import { partOf } from "../../../model/part-of.ts";

export type ResourceChange = "create" | "change" | "remove" | "none";

/** One resource of a release: its present fields that the chart writes, and the future ones. */
export interface ResourceDifference {
  apiVersion: string;
  kind: string;
  name: string;
  change: ResourceChange;
  before: unknown;
  after: unknown;
}

export interface Installed {
  client: KubeClient;
  discovery: Discovery;
  namespace: string;
}

/** Operators and the API server omit empty values. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).map(([key, item]) => [key, withoutEmpty(item)] as const);
  return Object.fromEntries(kept.filter(([, item]) => !isEmpty(item)));
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** The parts of a resource that a chart sets. */
const ofChart = ({ spec, data }: Resource): unknown => withoutEmpty({ spec, data });

const keyOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  [apiVersion.split("/")[0], kind, metadata.name].join(" ");

async function liveOf(
  manifest: KubernetesObject,
  { client, discovery, namespace }: Installed,
): Promise<Resource | null> {
  const { apiVersion, kind, metadata } = manifest;
  const resource = await discovery.find(apiVersion, kind);
  if (resource === null) return null;
  return client.get<Resource>(objectPath(apiVersion, resource, metadata.namespace ?? namespace, metadata.name ?? ""));
}

async function difference(manifest: KubernetesObject, installed: Installed): Promise<ResourceDifference> {
  const { apiVersion, kind, metadata } = manifest;
  const live = await liveOf(manifest, installed);
  const after = ofChart(manifest);
  // Fields that only the live object has belong to its operator.
  const before = live === null ? null : partOf(ofChart(live), after);
  const change = live === null ? "create" : isDeepStrictEqual(before, after) ? "none" : "change";
  return { apiVersion, kind, name: metadata.name ?? "", change, before, after };
}

/** The resources of the newest revision of the composition's release; empty if there is none yet. */
async function releasedManifests(composition: Resource, { client, namespace }: Installed): Promise<KubernetesObject[]> {
  const { name = "", uid = "" } = composition.metadata;
  const [newest] = await listRevisions(client, namespace, releaseName(name, uid));
  return newest === undefined ? [] : parseManifest(await readManifest(client, namespace, newest.secret));
}

/**
 * Compares the chart's output with the live resources, and with resources of the release that the chart no longer
 * renders.
 */
export async function compareInstalled(
  manifests: readonly KubernetesObject[],
  composition: Resource | null,
  installed: Installed,
): Promise<ResourceDifference[]> {
  const released = composition === null ? [] : await releasedManifests(composition, installed);
  const kept = new Set(manifests.map(keyOf));
  const gone = released.filter((manifest) => !kept.has(keyOf(manifest)));
  const removed = gone.map((manifest): ResourceDifference => ({
    ...{ apiVersion: manifest.apiVersion, kind: manifest.kind, name: manifest.metadata.name ?? "" },
    ...{ change: "remove", before: ofChart(manifest), after: null },
  }));
  return [...(await Promise.all(manifests.map((manifest) => difference(manifest, installed)))), ...removed];
}
