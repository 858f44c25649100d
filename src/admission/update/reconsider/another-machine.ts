import { ANOTHER_SIZE } from "../../../model/names.ts";
import { placeName } from "../../../model/workload.ts";
import { formatTime } from "../../../model/time.ts";
import { decideAlone } from "../../decide/decide.ts";
import type { DecisionRequest, Outcome } from "../../types.ts";
import { type Change, isHeldBack } from "../change.ts";
import { exhausted, NO_CAPACITY } from "../installed/exhausted.ts";
import { boundBy, lacksMachine, mayResize, type Pins, pinsOf, requestFor, resizeOf } from "../installed/in-place.ts";
import { withParts } from "../planned-parts.ts";
import { stays } from "./reconsider.ts";
import { isAsked, writeFallback } from "./write-fallback.ts";

/** Why the machine keeps its size, whatever its policies say; null if it need not. */
function fixedSize(change: Change): string | null {
  const { update, kept, earlier } = change;
  if (isHeldBack(change)) return "it has not started";
  if (!isAsked(change, ANOTHER_SIZE, earlier.placement.instanceType))
    return "only its controller asks for another one, when its provider has none of this type";
  if (update.kind === "KaasCluster") return "the managed service replaces its nodes itself";
  if (!mayResize(change)) return resizeOf(change).detail;
  return kept.includes("instanceType") ? null : "its user fixed the type";
}

/**
 * `landfall.dev/reevaluate: another-size`, signed by the controller: the provider has no machine of this type for a machine that is to be started again. It stays in its
 * place, and gets the cheapest other size of its series that its policies, quotas and budgets allow.
 */
export function anotherSize(change: Change): Outcome {
  const { context, earlier } = change;
  const fixed = fixedSize(change);
  if (fixed !== null) return stays(`its machine keeps its size: ${fixed}`);
  const { instanceType } = earlier.placement;
  const instead = [...new Set([...exhausted(earlier.moves, context.nowSeconds), instanceType])];
  const request = { ...requestFor(change, pinsOf(change, false)), instead };
  const decided = withParts(request, decideAlone(request), earlier.placement);
  const { placement } = decided;
  if (!decided.allowed || placement === null) {
    const codes = decided.denials.map(({ code }) => code).join(", ");
    return stays(`its machine keeps its size: no other one of its series is allowed there (${codes})`);
  }
  const message = `${placement.instanceType} instead of ${instanceType}, of which ${placement.provider} has none there now`;
  const warning = { code: "RESIZED", message };
  return writeFallback(change, {
    decided,
    warning,
    from: placement,
    to: placement,
    why: `${NO_CAPACITY}${instanceType}`,
  });
}

const STAYS = "its run stays in its place";

/** Why the run stays where it is, whatever its policies say; null if it need not. */
function fixedPlace(change: Change): string | null {
  const { update, kept } = change;
  const { oldObject } = update;
  if (isHeldBack(change)) return "it has not started";
  if (!lacksMachine(change)) return "it creates no machine now, or its provider has one";
  if (!kept.includes("schedulingLocation")) return "its user fixed it";
  return boundBy(oldObject);
}

/** Fields that mean something in one place only. */
const OF_PLACE: readonly string[] = ["provider", "schedulingLocation", "zone", "image", "instanceType"];

/** The values of an earlier decision that do not depend on the place. */
function pinsElsewhere({ values, earlier }: Change, start: string): Pins {
  const rest = Object.fromEntries(Object.entries(values).filter(([field]) => !OF_PLACE.includes(field)));
  const { capacityType } = earlier.placement;
  return { ...rest, schedulingTime: start, ...(capacityType === undefined ? {} : { capacityType }) };
}

/**
 * `landfall.dev/reevaluate: another-place`: the provider has no machine for a run that is to continue, and that leaves nothing in its place. The place is
 * the best one for the run from now on that its policies, quotas and budgets allow, with the same pauses.
 */
export function anotherPlace(change: Change): Outcome {
  const { context, earlier } = change;
  const fixed = fixedPlace(change);
  if (fixed !== null) return stays(`${STAYS}: ${fixed}`);
  const from = placeName(earlier.placement);
  const elsewhere = [...new Set([...exhausted(earlier.moves, context.nowSeconds), from])];
  const request = (start: string, place: Pins = {}): DecisionRequest => ({
    ...requestFor(change, { ...pinsElsewhere(change, start), ...place }),
    elsewhere,
    // Its controller removes all that is left in its place before it installs anything in another one.
    recorded: [],
  });
  const found = decideAlone(request(formatTime(context.nowSeconds))).placement;
  if (found === null) return stays(`${STAYS}: no other one is allowed`);
  const { provider, region, zone, instanceType } = found;
  const there = { provider, schedulingLocation: region, instanceType, ...(zone === null ? {} : { zone }) };
  const again = request(earlier.placement.start, there);
  const decided = withParts(again, decideAlone(again), earlier.placement);
  const { placement } = decided;
  if (!decided.allowed || placement === null) return stays(`${STAYS}: no other one is allowed`);
  const message = `its run continues in ${placeName(placement)}, because ${from} has no machine for it now`;
  // A zone of the former place is none of the new one.
  const replaces = change.kept.filter((field) => OF_PLACE.includes(field));
  const move = { from: earlier.placement, to: placement, why: `${NO_CAPACITY}${from}` };
  return writeFallback(change, { decided, warning: { code: "MOVED", message }, ...move, replaces });
}
