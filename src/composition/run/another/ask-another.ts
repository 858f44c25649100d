import { hasStatus } from "../../../cluster/client/api-error.ts";
import { type SignedCommand, signCommand } from "../../../model/decision-annotation/command.ts";
import { readPlacement } from "../../../model/decision-annotation/compact-decision.ts";
import { ANNOTATION, ANOTHER_PLACE, ANOTHER_SIZE, ANOTHER_ZONE } from "../../../model/names.ts";
import { isUnusableZone } from "../../../model/places/zones.ts";
import { lacksMachine, pausedSeconds } from "../../../model/runs/run-times.ts";
import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import type { FollowedRun } from "../follow/follow-run.ts";
import type { SeenMachine } from "../machine/machine-now.ts";
import { stringOf } from "../../../model/json.ts";

/** Seconds between two requests for the same object: the provider has to be asked for the last size first. */
const AGAIN_SECONDS = 120;

/** A limit of the account is not a size that is sold out. */
const QUOTA = /quota|limit ?exceeded/i;

/** The machine that a run is to have, as it is known. */
type Wanted = Pick<SeenMachine, "ready" | "hasMachine">;

/** Whether the run is to have a machine now and has none that works. */
const isStarting = ({ record, step }: FollowedRun): boolean => step.do === "run" && !record.wasReady;

/** Whether it is to continue, after a pause or after an eviction, or is another run on the stopped machine of the last one. */
const goesOn = ({ record, now }: FollowedRun, { hasMachine }: Wanted): boolean =>
  pausedSeconds(record.plan, record.startedAt, now) > 0 ||
  record.evictions?.waiting === true ||
  (hasMachine && record.firstStartedAt !== undefined);

const isSoldOut = ({ reason, message }: ConditionInput): boolean =>
  reason === "ProviderCapacity" && !QUOTA.test(message);

/** Whether its machine is created in its zone: at its first start, or again. One that is only stopped is in its zone, with its disk. */
function isCreated(run: FollowedRun, wanted: Wanted): boolean {
  const isFirst = !goesOn(run, wanted) && !wanted.hasMachine && !run.record.plan.retains;
  return isFirst || lacksMachine(run.record);
}

const typeOf = (object: Resource): string => stringOf(readPlacement(object)["instanceType"]);
const zoneOf = (object: Resource): string => stringOf(readPlacement(object)["zone"]);

function placeOf(object: Resource): string {
  const { provider, region } = readPlacement(object);
  return `${stringOf(provider)}/${stringOf(region)}`;
}

/** The object as the webhook decided it again. */
function asked({ client }: CompositionContext, { path }: Composition, command: string): Promise<Resource> {
  // Without a version: the status has just been written, and the webhook decides on the object as it is stored.
  const metadata = { annotations: { [ANNOTATION.reevaluate]: command } };
  return client.patch<Resource>(path, "merge", { metadata });
}

const COUNTED = { zone: "zones", size: "sizes", place: "places" } as const;

/** Counts it in the metrics and in the record, from which the status has it. */
async function count(
  { runs, runMetrics }: CompositionContext,
  { record }: FollowedRun,
  to: "zone" | "size" | "place",
): Promise<void> {
  runMetrics.fellBack(to);
  const newest = await runs.read(record.uid);
  if (newest === null) return;
  const before = newest.fallbacks ?? { sizes: 0, places: 0 };
  const field = COUNTED[to];
  const fallbacks = { ...before, [field]: (before[field] ?? 0) + 1 };
  await runs.change({ ...newest, fallbacks });
}

/** The command as this controller gives it: the webhook does it for no one else. */
function signed({ keys, nowSeconds }: CompositionContext, command: SignedCommand, lacks: string, uid: string): string {
  return keys === null ? command : signCommand(keys(), command, { uid, lacks }, nowSeconds());
}

/** Asks for another zone of its region. Whether it has one. */
async function askZone(context: CompositionContext, composition: Composition, run: FollowedRun): Promise<boolean> {
  const { object } = composition;
  const [zone, { uid }] = [zoneOf(object), run.record];
  if (zone === "") return false;
  const moved = await asked(context, composition, signed(context, ANOTHER_ZONE, zone, uid));
  if (zoneOf(moved) === zone) return false;
  const message = `${zone} has no ${typeOf(object)} for it: it is created in ${zoneOf(moved)}`;
  context.record(object, { type: "Normal", reason: "AnotherZone", message });
  await count(context, run, "zone");
  // Its release is installed again, so that the next refusal is one of that zone.
  context.sizesAsked.delete(uid);
  return true;
}

/** Asks for another size of its series. Whether it has one. */
async function askSize(context: CompositionContext, composition: Composition, run: FollowedRun): Promise<boolean> {
  const { object } = composition;
  const type = typeOf(object);
  const resized = await asked(context, composition, signed(context, ANOTHER_SIZE, type, run.record.uid));
  if (typeOf(resized) === type) return false;
  const message = `its provider has no ${type} for it to continue: it continues on ${typeOf(resized)}`;
  context.record(object, { type: "Normal", reason: "AnotherSize", message });
  await count(context, run, "size");
  return true;
}

/** Asks for another place, where the run may leave its own. */
async function askPlace(context: CompositionContext, composition: Composition, run: FollowedRun): Promise<boolean> {
  const { object } = composition;
  const place = placeOf(object);
  if (!lacksMachine(run.record)) return false;
  const moved = await asked(context, composition, ANOTHER_PLACE);
  if (placeOf(moved) === place) return false;
  const message = `${place} has no machine for it to continue: it continues in ${placeOf(moved)}`;
  context.record(object, { type: "Normal", reason: "AnotherPlace", message });
  await count(context, run, "place");
  return true;
}

type Ask = typeof askZone;

/**
 * The requests that may help, in their order. A zone comes first: nothing but it changes. A machine that is there and stopped loses its disk with its zone, so that
 * it gets another size before.
 */
function plansFor(run: FollowedRun, wanted: Wanted): Ask[] {
  const { ready, hasMachine } = wanted;
  if (!isStarting(run)) return [];
  const zone = isCreated(run, wanted) && (isSoldOut(ready) || isUnusableZone(ready.message)) ? [askZone] : [];
  if (!isSoldOut(ready) || !goesOn(run, wanted)) return zone;
  return hasMachine ? [askSize, ...zone, askPlace] : [...zone, askSize, askPlace];
}

/** Whether the last request for the object was long enough ago; notes this one. */
function mayAsk({ sizesAsked, nowSeconds }: CompositionContext, uid: string): boolean {
  const now = nowSeconds();
  for (const [other, at] of sizesAsked) if (now - at >= AGAIN_SECONDS) sizesAsked.delete(other);
  if (sizesAsked.has(uid)) return false;
  sizesAsked.set(uid, now);
  return true;
}

/**
 * Plan B for a run whose provider has no machine for it: another zone of its region, another size of its series, or another place. The
 * webhook says which, if its policies allow one; otherwise the operator keeps trying.
 */
export async function askAnother(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
  wanted: Wanted,
): Promise<void> {
  if (run === null) return;
  const plans = plansFor(run, wanted);
  const { uid } = run.record;
  if (plans.length === 0 || !mayAsk(context, uid)) return;
  try {
    for (const ask of plans) if (await ask(context, composition, run)) return;
  } catch (thrown) {
    // Changed or removed meanwhile: the next attempt sees its new state.
    if (!hasStatus(thrown, 409) && !hasStatus(thrown, 404)) throw thrown;
    context.sizesAsked.delete(uid);
  }
}
