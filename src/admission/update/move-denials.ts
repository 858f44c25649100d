import type { Denial } from "../../model/decision.ts";
import { type Change, specOf } from "./change.ts";
import { denial, shown } from "../check/denial.ts";

/** An installed release stays in its region and with its provider. */
export function moveDenials({ update, earlier }: Change): Denial[] {
  const { provider, region } = earlier.placement;
  const spec = specOf(update.object);
  const to = `${shown(spec["provider"] ?? provider)}/${shown(spec["schedulingLocation"] ?? region)}`;
  const from = `${provider}/${region}`;
  if (to === from) return [];
  return [denial("ADM_MOVE", { field: "spec.schedulingLocation", actual: to, allowed: from }, { from, to })];
}
