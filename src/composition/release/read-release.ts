import { objectPath } from "../../cluster/discover.ts";
import { LandfallError } from "../../errors.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { installedChart } from "../record/installed-chart.ts";
import { ownerIn } from "../record/release-owner.ts";
import type { RecordedRevision } from "../record/release-record.ts";
import { resourcesIn } from "../claims/object-ids.ts";
import type { Resource } from "../types.ts";
import { shortDigest } from "./build-values.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { readAwaits } from "../managed/read-awaits.ts";
import { isSecret, isWatched } from "../managed/watch-managed.ts";
import type { Release, ReleaseObject } from "../managed/release.ts";

async function readObject(context: CompositionContext, manifest: Resource, namespace: string): Promise<ReleaseObject> {
  const { apiVersion, kind } = manifest;
  const resource = await context.managed.ensure(apiVersion, kind);
  const { name = "", namespace: where = namespace } = manifest.metadata;
  if (!resource.namespaced || where !== namespace) throw new LandfallError("REL_OUTSIDE", { kind, name, namespace });
  const path = objectPath(apiVersion, resource, namespace, name);
  const entry = { apiVersion, name, namespace, path, resource: resource.name };
  const object = { apiVersion, kind, namespace, name, manifest, entry };
  if (!isSecret(object)) return object;
  // Only whether it exists is compared, and its content is not kept.
  const { data: _data, stringData: _text, ...rest } = manifest as Resource & { stringData?: unknown };
  return { ...object, manifest: rest };
}

/** Reads a recorded revision, watches the kinds of its resources and claims them for the composition. */
export async function readRelease(
  context: CompositionContext,
  composition: Composition,
  revision: RecordedRevision,
): Promise<Release> {
  const { namespace = "" } = composition.object.metadata;
  const manifests = await resourcesIn(revision.release);
  const objects = await Promise.all(manifests.map((manifest) => readObject(context, manifest, namespace)));
  context.managed.release(composition.key);
  for (const object of objects) context.managed.claim(object, composition.key);
  await Promise.all(objects.filter((object) => !isWatched(object)).map((object) => context.managed.read(object)));
  return {
    name: revision.labels["name"] ?? "",
    namespace,
    secret: revision.secret,
    id: ownerIn(valuesIn(revision.release))?.uid ?? null,
    chart: installedChart(revision.release),
    inputs: revision.labels[RELEASE_LABEL.inputs] ?? "",
    awaited: revision.labels[RELEASE_LABEL.awaited] ?? "",
    awaits: readAwaits(manifests),
    objects,
    digest: shortDigest(manifests),
    checkedAt: context.nowSeconds(),
    drifts: new Map(),
    putBack: new Map(),
    fought: new Map(),
  };
}
