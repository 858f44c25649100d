import { repairPolicy } from "../../model/runs/run-of.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { readiness } from "../status/readiness.ts";
import type { Release, ReleaseObject } from "../managed/release.ts";
import type { Resource } from "../types.ts";
import { observationOf } from "./machine-condition.ts";

/** How to make the operator of a healthy machine refresh its status, and how often; null if it cannot be made to, or need not be. */
function asking(object: ReleaseObject, live: Resource | undefined): { every: number; spec: object } | null {
  const ask = observationOf(object)?.ask ?? null;
  if (ask === null || live === undefined || !readiness(live).ready) return null;
  const [first = null, second = null] = ask.values;
  // In turn present and absent: each change is a new generation.
  return { every: ask.everySeconds, spec: { [ask.field]: live.spec?.[ask.field] === first ? second : first } };
}

async function askOne(context: CompositionContext, release: Release, object: ReleaseObject): Promise<void> {
  const ask = asking(object, context.managed.get(object));
  if (ask === null) return;
  const { path } = object.entry;
  const [every, now] = [context.lookSeconds ?? ask.every, context.nowSeconds()];
  if (every === 0 || !context.looks.isDue(path, every, now)) return;
  context.looks.asked(path, now);
  await context.tenant(release.namespace).patch(path, "merge", { spec: ask.spec });
}

/**
 * Makes the operators of a release's machines look at them again, where they would not for hours. Not if the object's
 * policy forbids it.
 */
export async function askToLook(context: CompositionContext, composition: Resource, release: Release): Promise<void> {
  if (repairPolicy(composition) === "never") return;
  for (const object of release.objects) await askOne(context, release, object);
}
