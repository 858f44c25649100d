import { ANOTHER_ZONE } from "../../../model/names.ts";
import { zonesOfType } from "../../../model/places/machine-zones.ts";
import { isUnusableZone, zonesOf } from "../../../model/places/zones.ts";
import { decideAlone } from "../../decide/decide.ts";
import type { Outcome } from "../../types.ts";
import { type Change, isHeldBack } from "../change.ts";
import { exhausted, NO_CAPACITY, NOT_OFFERED } from "../installed/exhausted.ts";
import { boundToZone, pinsOf, readyMessage, requestFor } from "../installed/in-place.ts";
import { withParts } from "../planned-parts.ts";
import { stays } from "./reconsider.ts";
import { isAsked, writeFallback } from "./write-fallback.ts";

/** Why the machine keeps its zone, whatever its policies say; null if it need not. */
function fixedZone(change: Change, zone: string | null): string | null {
  if (isHeldBack(change)) return "it has not started";
  if (zone === null) return "its provider chooses it";
  if (!isAsked(change, ANOTHER_ZONE, zone))
    return "only its controller asks for another one, when its provider has no machine there";
  if (!change.kept.includes("zone")) return "its user fixed it";
  return boundToZone(change.update.oldObject);
}

/** The zones of the region that may have a machine, the next one after `zone` first: those that had none in the last day are omitted. */
function zonesLeft({ earlier, context }: Change, zone: string, isUnusable: boolean): string[] {
  const { provider, region } = earlier.placement;
  const all = zonesOf(provider, region) ?? [];
  const next = all.indexOf(zone) + 1;
  const others = [...all.slice(next), ...all.slice(0, next)].filter((one) => one !== zone);
  const gone = exhausted(earlier.moves, context.nowSeconds);
  const left = others.filter((one) => !gone.includes(one));
  if (left.length > 0 || !isUnusable) return left;
  // This zone never has one, so a zone that had none within the last day is better.
  const soldOut = exhausted(earlier.moves, context.nowSeconds, [NO_CAPACITY]);
  return others.filter((one) => soldOut.includes(one));
}

/**
 * `landfall.dev/reevaluate: another-zone`, signed by the controller: the provider has no machine in this zone for one that is to be created, or never has one of its
 * type there. It gets the next zone of its region, with the same type, price and pauses.
 */
export function anotherZone(change: Change): Outcome {
  const { earlier, update } = change;
  const { zone, instanceType, provider, region } = earlier.placement;
  const fixed = fixedZone(change, zone);
  if (fixed !== null || zone === null) return stays(`its machine keeps its zone: ${fixed ?? ""}`);
  const isUnusable = isUnusableZone(readyMessage(update.oldObject));
  const sold = zonesOfType(provider, region, instanceType);
  const [to] = zonesLeft(change, zone, isUnusable).filter((one) => sold?.includes(one) !== false);
  if (to === undefined) return stays(`its machine keeps its zone: ${provider}/${region} has no other one left`);
  const request = requestFor(change, { ...pinsOf(change, true), zone: to });
  const decided = withParts(request, decideAlone(request), earlier.placement);
  const { placement } = decided;
  if (!decided.allowed || placement === null) {
    const codes = decided.denials.map(({ code }) => code).join(", ");
    return stays(`its machine keeps its zone: ${to} is not allowed (${codes})`);
  }
  const message = `${to} instead of ${zone}, where ${provider} has no ${instanceType} for it now`;
  const why = `${isUnusable ? NOT_OFFERED : NO_CAPACITY}${zone}`;
  const warning = { code: "MOVED", message };
  return writeFallback(change, { decided, warning, from: placement, to: placement, why, replaces: ["zone"] });
}
