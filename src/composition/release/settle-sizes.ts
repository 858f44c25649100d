import { placeIn } from "../record/release-owner.ts";
import type { HeldSize } from "../record/held-size.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Release } from "../managed/release.ts";
import { readiness } from "../status/readiness.ts";
import type { Found } from "../status/retry-times.ts";
import { isMade, machinesOf, mayRun } from "../status/shown-size.ts";
import type { Resource } from "../types.ts";
import { isOwned, listInstalled } from "./list-installed.ts";
import { removeFormer } from "./prune-leftovers.ts";
import { stillDeleting } from "./recorded/still-deleting.ts";

const uidOf = ({ metadata }: Resource): string => metadata.uid ?? "";

interface Looked {
  held: HeldSize;
  isOpen: boolean;
}

/** A size that is held, with the objects that may run it, and whether one of them still may. */
function look(held: HeldSize, found: readonly Found[], about: { place: string; nowSeconds: number }): Looked {
  const machines = machinesOf(found);
  if (machines === null) return { held, isOpen: true };
  const seen = held.machines ?? machines.filter(isMade).map(uidOf);
  const isReady = found.every(({ live }) => live !== null && readiness(live).ready);
  const present = { place: about.place, isReady, seconds: about.nowSeconds - held.at };
  const isOpen = machines.some((live) => seen.includes(uidOf(live)) && mayRun(live, held, present));
  return { held: { ...held, machines: seen }, isOpen };
}

/** Whether the release still has objects that its newest revision lacks, such as a pool that is being deleted. */
async function hasLeftovers(context: CompositionContext, { namespace, name, objects }: Release): Promise<boolean> {
  const { revisions = [] } = (await context.records.read(namespace, name)) ?? {};
  if (!(await removeFormer(context, { name, namespace }, revisions))) return true;
  const known = new Set(objects.map((one) => `${one.kind} ${one.name}`));
  const installed = await listInstalled(context, namespace, name);
  const made = installed.filter(({ object }) => !isOwned(object));
  return made.some(({ object }) => !known.has(`${object.kind} ${object.metadata.name ?? ""}`));
}

/** Ends an earlier removal of the object's release, which it has again, once nothing is being deleted any more. */
async function settleRemoval(context: CompositionContext, uid: string): Promise<void> {
  const removal = await context.removals.of(uid);
  if (removal === null) return;
  const installed = await listInstalled(context, removal.namespace, removal.release);
  if (installed.some(({ object }) => object.metadata.deletionTimestamp !== undefined)) return;
  if ((await stillDeleting(context, removal)).length > 0) return;
  await context.removals.ended(uid);
}

/**
 * Lets go of the sizes that the record of a release holds and that its provider's objects show to be gone. Returns whether it still holds some. To
 * be called after the release was brought to its newest revision. Throws REL_API….
 */
export async function settleSizes(
  context: CompositionContext,
  { object }: Composition,
  release: Release,
  found: readonly Found[],
): Promise<boolean> {
  const { namespace, name } = release;
  await settleRemoval(context, object.metadata.uid ?? "");
  const held = await context.records.held(namespace, name);
  if (held.length === 0) return false;
  const about = { place: placeIn(object.spec ?? {}), nowSeconds: context.nowSeconds() };
  const looked = held.map((one) => look(one, found, about));
  const isDone = looked.some(({ isOpen }) => !isOpen) && !(await hasLeftovers(context, release));
  const left = looked.filter(({ isOpen }) => isOpen || !isDone).map((one) => one.held);
  const isChanged = left.length < held.length || left.some((one, index) => held[index]?.machines !== one.machines);
  if (isChanged) await context.records.hold(namespace, name, () => left);
  return left.length > 0;
}
