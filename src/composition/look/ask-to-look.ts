import type { CompositionContext } from "../context/composition-context.ts";
import { readiness } from "../status/readiness.ts";
import type { Release, ReleaseObject } from "../managed/release.ts";
import type { Resource } from "../types.ts";
import { type LookEvery, lookEveryOf, observationOf } from "./machine-condition.ts";

/** How to make the operator of a healthy machine refresh its status, and how often; null if it cannot be made to, or need not be. */
function asking(
  object: ReleaseObject,
  live: Resource | undefined,
  lookEvery: LookEvery,
): { every: number; spec: object } | null {
  const observation = observationOf(object);
  if (observation === undefined || observation.ask === null || live === undefined || !readiness(live).ready)
    return null;
  const every = lookEvery(observation);
  if (every === null) return null;
  const { field, values } = observation.ask;
  const [first = null, second = null] = values;
  // In turn present and absent: each change is a new generation.
  return { every, spec: { [field]: live.spec?.[field] === first ? second : first } };
}

async function askOne(
  context: CompositionContext,
  release: Release,
  object: ReleaseObject,
  lookEvery: LookEvery,
): Promise<void> {
  const ask = asking(object, context.managed.get(object), lookEvery);
  if (ask === null) return;
  const [{ path }, { namespace }] = [object.entry, release];
  const now = context.nowSeconds();
  if (!context.looks.isDue({ path, namespace }, ask.every, now)) return;
  context.looks.asked({ path, namespace }, now);
  await context.tenant(namespace).patch(path, "merge", { spec: ask.spec });
}

/**
 * Makes the operators of a release's machines look at them again, where they would not for hours. Not if the object's
 * policy forbids it.
 */
export async function askToLook(context: CompositionContext, composition: Resource, release: Release): Promise<void> {
  const lookEvery = lookEveryOf(context, composition);
  for (const object of release.objects) await askOne(context, release, object, lookEvery);
}
