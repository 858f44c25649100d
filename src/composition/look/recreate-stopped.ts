import { repairPolicy } from "../../model/runs/run-of.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { Release, ReleaseObject } from "../managed/release.ts";
import { valueAt } from "../managed/read-awaits.ts";
import type { Resource } from "../types.ts";
import { observationOf } from "./machine-condition.ts";

/** Seconds since 1970 of its creation; now if it does not say, which lets it be. */
const createdAt = ({ metadata }: Resource, now: number): number =>
  Math.floor(Date.parse((metadata as { creationTimestamp?: string }).creationTimestamp ?? "") / 1000) || now;

/** The provider's word for the state of a machine that can be created again now; null for any other. */
function stoppedWord(object: ReleaseObject, live: Resource | undefined, now: number): string | null {
  const { recreate, state } = observationOf(object) ?? {};
  if (recreate === undefined || recreate === null || live === undefined) return null;
  const word = valueAt(live, `status.${state ?? ""}`);
  const isDue = now - createdAt(live, now) >= recreate.everySeconds;
  if (live.metadata.deletionTimestamp !== undefined || !isDue) return null;
  return typeof word === "string" && recreate.states.includes(word) ? word : null;
}

/**
 * Deletes the machines of a release that someone stopped and that their operator cannot start, if the object's policy is
 * `recreate`: what is missing is installed again. The age of a machine limits how often. Only of an object without a run: a
 * machine that stopped as planned stays.
 */
export async function recreateStopped(
  context: CompositionContext,
  composition: Resource,
  release: Release,
): Promise<void> {
  // Its machine would run on at the provider, next to the new one.
  if (repairPolicy(composition) !== "recreate" || composition.spec?.["deletionPolicy"] === "retain") return;
  const [now, { namespace }] = [context.nowSeconds(), release];
  for (const object of release.objects) {
    if (stoppedWord(object, context.managed.get(object), now) === null) continue;
    const live = await context.managed.read(object);
    const word = stoppedWord(object, live ?? undefined, now);
    if (word === null || !context.looks.hasRoom(namespace, now)) continue;
    context.looks.asked({ path: object.entry.path, namespace }, now);
    const message = `${object.kind} ${object.name} is ${word} at its provider: it is deleted and created again, as landfall.dev/repair asks`;
    context.record(composition, { type: "Warning", reason: "MachineRecreated", message });
    await context.tenant(namespace).remove(object.entry.path);
  }
}
