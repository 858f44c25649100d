import { objectPath } from "../../cluster/discover.ts";
import type { Revision } from "../helm/release-storage.ts";
import { readManifest } from "../helm/release-storage.ts";
import { parseManifest } from "../helm/render-chart.ts";
import type { Resource } from "../types.ts";
import { shortDigest } from "./build-values.ts";
import type { Composition, CompositionContext } from "../context.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { readAwaits } from "./read-awaits.ts";
import type { Release, ReleaseObject } from "./release.ts";

async function readObject(context: CompositionContext, manifest: Resource, namespace: string): Promise<ReleaseObject> {
  const { apiVersion, kind } = manifest;
  const resource = await context.managed.ensure(apiVersion, kind);
  const name = manifest.metadata.name ?? "";
  const where = resource.namespaced ? (manifest.metadata.namespace ?? namespace) : "";
  const path = objectPath(apiVersion, resource, where, name);
  const entry = { apiVersion, name, namespace: where, path, resource: resource.name };
  return { apiVersion, kind, namespace: where, name, manifest, entry };
}

/** Reads a revision from helm's Secret, watches the kinds of its resources and claims them for the composition. */
export async function readRelease(
  context: CompositionContext,
  composition: Composition,
  revision: Revision,
): Promise<Release> {
  const { namespace = "" } = composition.object.metadata;
  const yaml = await readManifest(context.client, namespace, revision.secret);
  const manifests = parseManifest(yaml) as Resource[];
  const objects = await Promise.all(manifests.map((manifest) => readObject(context, manifest, namespace)));
  context.managed.release(composition.key);
  for (const object of objects) context.managed.claim(object, composition.key);
  return {
    name: revision.labels["name"] ?? "",
    namespace,
    secret: revision.secret,
    inputs: revision.labels[RELEASE_LABEL.inputs] ?? "",
    awaited: revision.labels[RELEASE_LABEL.awaited] ?? "",
    awaits: readAwaits(manifests),
    objects,
    digest: shortDigest(manifests),
    checkedAt: context.nowSeconds(),
    drifts: new Map(),
  };
}
