import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import { type Marks, marksToPutBack, staysAtProvider } from "../../claims/owned-marks.ts";
import { describe } from "../../../errors.ts";
import { isTriedLately } from "../../managed/drift-history.ts";
import type { Release, ReleaseObject } from "../../managed/release.ts";
import { recordLeft } from "../../retain/record-retained.ts";
import type { Resource } from "../../types.ts";
import { otherHolder } from "../recorded/holder-of.ts";

type Changed = Readonly<{ object: ReleaseObject; live: Resource }>;

/** Objects that the cache shows with other marks than the release gave them, as the API server has them now. */
async function changedIn(context: CompositionContext, release: Release): Promise<Changed[]> {
  const changed: Changed[] = [];
  for (const object of release.objects) {
    const seen = context.managed.get(object);
    if (seen === undefined || marksToPutBack(object.manifest, seen, release) === null) continue;
    const live = await context.managed.read(object);
    if (live !== null) changed.push({ object, live });
  }
  return changed;
}

/** Whether the operator may have let the resource go at its provider already: nothing tells whether it saw the annotation. */
const mayBeLeft = ({ object: { manifest }, live }: Changed): boolean =>
  live.metadata.deletionTimestamp !== undefined && staysAtProvider(live) && !staysAtProvider(manifest);

/**
 * Whether a mutating policy of the cluster wrote the marks again when they were last put back, lately: the answer to the controller's own write showed
 * them. Nothing that a tenant writes does that. What is being deleted is tried each time.
 */
const isFought = (context: CompositionContext, release: Release, { object, live }: Changed): boolean =>
  live.metadata.deletionTimestamp === undefined &&
  isTriedLately(release.fought, object.entry.path, context.nowSeconds());

async function write(
  context: CompositionContext,
  release: Release,
  object: ReleaseObject,
  marks: Marks,
): Promise<boolean> {
  const { path } = object.entry;
  const answer = await context.tenant(release.namespace).patch<Resource>(path, "merge", { metadata: marks });
  if (marksToPutBack(object.manifest, answer, release) === null) {
    release.fought.delete(path);
    return true;
  }
  release.fought.set(path, { at: context.nowSeconds(), times: (release.fought.get(path)?.times ?? 0) + 1 });
  return false;
}

function tell(context: CompositionContext, composition: Resource, { kind, name }: ReleaseObject, names: string): void {
  const { message, remedy } = describe("REL_MARKS_WRITTEN", { kind, name, names });
  const text = `${message}; ${remedy} [REL_MARKS_WRITTEN]`;
  context.record(composition, { type: "Warning", reason: "REL_MARKS_WRITTEN", message: text });
}

/**
 * Puts back Helm's and the operators' marks that decide what a deletion does, as the namespace's identity. What is being deleted with an annotation that
 * keeps it at its provider is recorded, so that it counts. What another recorded release has by now is its own. Throws REL_API….
 */
export async function putMarksBack(
  context: CompositionContext,
  composition: Composition,
  release: Release,
): Promise<void> {
  for (const changed of await changedIn(context, release)) {
    const { object, live } = changed;
    const marks = marksToPutBack(object.manifest, live, release);
    if (marks === null || (await otherHolder(context, live, release)) !== null) continue;
    if (mayBeLeft(changed)) await recordLeft(context, composition, release.name);
    if (isFought(context, release, changed)) continue;
    const names = Object.keys({ ...marks.annotations, ...marks.labels }).join(", ");
    context.log.warn({ release: release.name, path: object.entry.path, names }, "marks of an object are put back");
    if (!(await write(context, release, object, marks))) {
      tell(context, composition.object, object, names);
      continue;
    }
    const message = `${names} of ${object.kind} ${object.name} is put back: it decides what a deletion does`;
    context.record(composition.object, { type: "Warning", reason: "MarksPutBack", message });
  }
}
