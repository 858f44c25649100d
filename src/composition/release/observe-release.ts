import type { TakenObject } from "../helm/read-conflict.ts";
import type { Resource } from "../types.ts";
import { joinMarks, markOf } from "./awaited-marks.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { isWatched } from "../managed/watch-managed.ts";
import { findDrift } from "./drift/find-drift.ts";
import { holderOf, otherHolder } from "./recorded/holder-of.ts";
import type { Awaited } from "../managed/read-awaits.ts";
import { awaitedValue } from "../managed/read-awaits.ts";
import type { Release, ReleaseObject } from "../managed/release.ts";

function driftOf(object: ReleaseObject, live: Resource | null | undefined): string | null {
  const name = `${object.kind} ${object.name}`;
  if (!live) return `${name} is missing`;
  // A resource that is being deleted is created again once it is gone.
  if (live.metadata.deletionTimestamp !== undefined) return null;
  const field = findDrift(object.manifest, live);
  return field === null ? null : `${field} of ${name}`;
}

/** Whether the informer shows the object without drift. Of a large one it has not all of the spec. */
const isSeenAsWanted = ({ managed }: CompositionContext, object: ReleaseObject): boolean =>
  isWatched(object) && managed.isWhole(object) && driftOf(object, managed.get(object)) === null;

/**
 * Describes the first difference from the release; null for none. The informer lags behind helm, so the API server has to
 * confirm what it shows.
 */
export async function observeDrift(context: CompositionContext, release: Release): Promise<string | null> {
  for (const object of release.objects) {
    if (isSeenAsWanted(context, object)) continue;
    const drift = driftOf(object, await context.managed.read(object));
    if (drift !== null) return drift;
  }
  return null;
}

/**
 * The first resource of the release that another recorded release has, by helm's annotations and the records; null for none. Helm checks them only
 * before it creates a resource, and an upgrade would take the resource back or delete it. Other annotations are a mistake, or a tenant's, and are put back.
 */
export async function observeLost(context: CompositionContext, release: Release): Promise<TakenObject | null> {
  const isOther = (holder: TakenObject["holder"]): boolean =>
    holder !== null && (holder.release !== release.name || holder.namespace !== release.namespace);
  for (const object of release.objects) {
    // Of a large object, the marks are perhaps not kept.
    if (context.managed.isWhole(object) && !isOther(holderOf(context.managed.get(object)))) continue;
    const live = await context.managed.read(object);
    const holder = live === null ? null : await otherHolder(context, live, release);
    if (holder !== null) return { kind: object.kind, name: object.name, holder };
  }
  return null;
}

async function awaitedResource(
  context: CompositionContext,
  composition: Composition,
  release: Release,
  awaited: Awaited,
) {
  const { group, kind, name } = awaited;
  const own = release.objects.find((object) => object.kind === kind && object.apiVersion.startsWith(`${group}/`));
  const served = own ? [] : await context.discovery.group(group);
  const apiVersion =
    own?.apiVersion ?? served.find(({ resources }) => resources.some((r) => r.kind === kind))?.apiVersion;
  if (apiVersion === undefined) return undefined;
  await context.managed.ensure(apiVersion, kind);
  const key = { apiVersion, kind, namespace: composition.object.metadata.namespace ?? "", name };
  context.managed.claim(key, composition.key);
  const isKept = isWatched(key) && context.managed.isWhole(key);
  return isKept ? context.managed.get(key) : ((await context.managed.read(key)) ?? undefined);
}

/** Marks of the awaited values that are available, for the label of a revision; null if none is. */
export async function observeAwaited(
  context: CompositionContext,
  composition: Composition,
  release: Release,
): Promise<string | null> {
  const marks: string[] = [];
  for (const awaited of release.awaits) {
    const value = awaitedValue(await awaitedResource(context, composition, release, awaited), awaited);
    if (value !== null) marks.push(markOf(awaited, value));
  }
  return joinMarks(marks);
}
