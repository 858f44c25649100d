import { hasStatus } from "../../../cluster/client/api-error.ts";
import { askedSize } from "../../../model/decision-annotation/command.ts";
import { readPlacement } from "../../../model/decision-annotation/compact-decision.ts";
import { ANNOTATION, ANOTHER_PLACE, ANOTHER_SIZE } from "../../../model/names.ts";
import { lacksMachine, pausedSeconds } from "../../../model/runs/run-times.ts";
import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import type { FollowedRun } from "../follow/follow-run.ts";
import { withPrice } from "../state/run-account.ts";
import { stringOf } from "../../../model/json.ts";

/** Seconds between two requests for the same object: the provider has to be asked for the last size first. */
const AGAIN_SECONDS = 120;

/** A limit of the account is not a size that is sold out. */
const QUOTA = /quota|limit ?exceeded/i;

/** Whether the provider has no machine for a run that is to continue, after a pause or after an eviction. */
function needsMachine({ record, step, now }: FollowedRun, { reason, message }: ConditionInput): boolean {
  const goesOn = pausedSeconds(record.plan, record.startedAt, now) > 0 || record.evictions?.waiting === true;
  return step.do === "run" && goesOn && !record.wasReady && reason === "ProviderCapacity" && !QUOTA.test(message);
}

const typeOf = (object: Resource): string => stringOf(readPlacement(object)["instanceType"]);

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

const priceOf = (object: Resource): number | null => {
  const { pricePerHour } = readPlacement(object);
  return typeof pricePerHour === "number" ? pricePerHour : null;
};

/** Counts it in the metrics and in the record, from which the status has it, and notes the price from now on. */
async function count(
  { runs, runMetrics }: CompositionContext,
  { record, now }: FollowedRun,
  { to, object }: { to: "size" | "place"; object: Resource },
): Promise<void> {
  runMetrics.fellBack(to);
  const newest = await runs.read(record.uid);
  if (newest === null) return;
  const { sizes, places } = newest.fallbacks ?? { sizes: 0, places: 0 };
  const fallbacks = to === "size" ? { sizes: sizes + 1, places } : { sizes, places: places + 1 };
  await runs.change({ ...withPrice(newest, priceOf(object), now), fallbacks });
}

/** Asks for another size of the series, and if there is none, for another place where the run may leave its own. */
async function ask(context: CompositionContext, composition: Composition, run: FollowedRun): Promise<void> {
  const { object } = composition;
  const [type, place] = [typeOf(object), placeOf(object)];
  const { keys, nowSeconds } = context;
  // Signed: the webhook does it for no one else.
  const wish =
    keys === null ? ANOTHER_SIZE : askedSize(keys(), { uid: run.record.uid, instanceType: type }, nowSeconds());
  const resized = await asked(context, composition, wish);
  if (typeOf(resized) !== type) {
    const message = `its provider has no ${type} for it to continue: it continues on ${typeOf(resized)}`;
    context.record(object, { type: "Normal", reason: "AnotherSize", message });
    return count(context, run, { to: "size", object: resized });
  }
  if (!lacksMachine(run.record)) return;
  const moved = await asked(context, composition, ANOTHER_PLACE);
  if (placeOf(moved) === place) return;
  const message = `${place} has no machine for it to continue: it continues in ${placeOf(moved)}`;
  context.record(object, { type: "Normal", reason: "AnotherPlace", message });
  return count(context, run, { to: "place", object: moved });
}

/**
 * Plan B for a machine that its provider has none of at a resume or after an eviction: another size of its series, or another place. The
 * webhook says which, if its policies allow one; otherwise the operator keeps trying.
 */
export async function askAnotherSize(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
  ready: ConditionInput,
): Promise<void> {
  if (run === null || !needsMachine(run, ready)) return;
  const { uid } = run.record;
  const now = context.nowSeconds();
  for (const [other, at] of context.sizesAsked) if (now - at >= AGAIN_SECONDS) context.sizesAsked.delete(other);
  if (context.sizesAsked.has(uid)) return;
  context.sizesAsked.set(uid, now);
  try {
    await ask(context, composition, run);
  } catch (thrown) {
    // Changed or removed meanwhile: the next attempt sees its new state.
    if (!hasStatus(thrown, 409) && !hasStatus(thrown, 404)) throw thrown;
    context.sizesAsked.delete(uid);
  }
}
