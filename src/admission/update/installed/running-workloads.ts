import type { CompactDecision } from "../../../model/decision-annotation/compact-decision.ts";
import { specStanding } from "../../../model/decision-annotation/still-holds.ts";
import { abilitiesOf } from "../../../model/places/operations.ts";
import type { PlacedWorkload } from "../../../model/places/load.ts";
import { placeName, type WorkloadObject } from "../../../model/workload.ts";
import { largerSize, sizeOf } from "../../../model/read-workload.ts";
import { parseTime } from "../../../model/time.ts";
import type { AdmissionContext, InstalledSize } from "../../types.ts";
import { type Change, isHeldBack, specOf } from "../change.ts";

type Hours = Pick<PlacedWorkload, "start" | "end">;

const hoursOf = ({ start, end }: CompactDecision["placement"]): Hours => ({
  start: parseTime(start),
  end: end === null ? null : parseTime(end),
});

/** An installed workload counts after its end, until it is removed. */
const untilRemoved = ({ start, end }: Hours, nowSeconds: number): Hours => ({
  start,
  end: end === null || end <= nowSeconds ? null : end,
});

/** The workloads of an object's releases, as a controller recorded them: they run already, until the end of its decision. */
export function recordedWorkloads(
  object: WorkloadObject,
  { placement }: CompactDecision,
  { owners, nowSeconds }: AdmissionContext,
): PlacedWorkload[] {
  const { end } = untilRemoved(hoursOf(placement), nowSeconds);
  return owners.runningOf(object).map(({ place, vcpus }) => ({ place, vcpus, start: null, end }));
}

/** The size that the signed decision gave an object. Decisions of earlier versions do not say how large the types are. */
function decidedSize({ update, context, earlier }: Change): Omit<InstalledSize, "instanceType"> {
  const { kind, oldObject } = update;
  const { provider, instanceType, cluster } = earlier.placement;
  const { sizeOf: sizeIn } = context.policy.catalog;
  const typeOf = (pool: string): string =>
    cluster === undefined ? instanceType : (cluster.poolInstanceTypes[pool] ?? "");
  const asked = sizeOf(kind, specOf(oldObject), (pool) => sizeIn?.(provider, typeOf(pool)) ?? null);
  return largerSize(asked, { ...earlier.placement });
}

/**
 * The size with which an installed object counts: that of its signed decision, with its types. Where no type is ever changed in place, what a
 * controller recorded there is of the same types, and counts as well.
 */
export function installedSize(change: Change): InstalledSize {
  const { update, context, earlier, verified } = change;
  const { kind, oldObject } = update;
  const { placement } = earlier;
  const fixed = kind === "KaasCluster" || !abilitiesOf(kind, placement.provider).operations.resize.can;
  const recorded = context.owners.runningOf(oldObject).filter(({ place }) => fixed && place === placeName(placement));
  const signed = specStanding(verified, oldObject) === "changed" ? [] : [decidedSize(change)];
  const most = (amount: "vcpus" | "memoryGiB"): number =>
    Math.max(0, ...[...recorded, ...signed].map((size) => size[amount]));
  return { instanceType: placement.instanceType, vcpus: most("vcpus"), memoryGiB: most("memoryGiB") };
}

/** The workloads that an object runs or is to run: those of its signed decision, and those that a controller recorded. Nothing else of it is trusted. */
export function runningWorkloads(change: Change): PlacedWorkload[] {
  const { update, context, earlier, verified } = change;
  const { kind, oldObject } = update;
  const { placement } = earlier;
  const recorded = recordedWorkloads(oldObject, earlier, context);
  if (specStanding(verified, oldObject) === "changed") return recorded;
  const isHeld = isHeldBack(change);
  // A workload that does not run yet counts as large as it was decided.
  const { vcpus } = isHeld ? largerSize(sizeOf(kind, specOf(oldObject)), { ...placement }) : decidedSize(change);
  const hours = isHeld ? hoursOf(placement) : untilRemoved(hoursOf(placement), context.nowSeconds);
  return [...recorded, { place: placeName(placement), vcpus, ...hours }];
}
