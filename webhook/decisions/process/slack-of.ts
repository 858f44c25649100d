import type { Slack } from "../../../src/external-data/ledger/ledger-entry.ts";
import { type ExistingWorkload, HOURS_PER_MONTH, type Usage } from "../../../src/model/cluster-data.ts";
import { type BudgetSettings, limitsPlaces, type PlacedWorkload } from "../../../src/model/places/load.ts";
import { HOUR_SECONDS } from "../../../src/model/time.ts";
import type { Limits } from "./note-limits.ts";

const NOTHING: Usage = { objects: 0, vcpus: 0, memoryGiB: 0, pricePerMonth: 0 };

function quotaSlack(limits: Limits["quota"], usage: Usage, workload: ExistingWorkload): Slack["quota"] {
  // Whatever else is admitted in the namespace has to be counted first.
  if (limits === "unknown") return { objects: 0 };
  if (limits === null || Object.keys(limits).length === 0) return null;
  const { vcpus, memoryGiB, pricePerHour } = workload;
  const asked = { objects: 1, vcpus, memoryGiB, pricePerMonth: (pricePerHour ?? 0) * HOURS_PER_MONTH };
  const left = (Object.entries(limits) as [keyof Usage, number][]).map(([dimension, limit]) => [
    dimension,
    limit - usage[dimension] - asked[dimension],
  ]);
  return Object.fromEntries(left) as Partial<Usage>;
}

/** The first hour of a run, and the one after its last, since 1970. */
const hoursOf = ({ start, end }: PlacedWorkload): [number, number] => [
  start === null ? Number.NEGATIVE_INFINITY : Math.floor(start / HOUR_SECONDS),
  end === null ? Number.POSITIVE_INFINITY : Math.ceil(end / HOUR_SECONDS),
];

function overlaps(one: PlacedWorkload, other: PlacedWorkload): boolean {
  const [[from, to], [otherFrom, otherTo]] = [hoursOf(one), hoursOf(other)];
  return from < otherTo && otherFrom < to;
}

/** At most what the budget leaves in the fullest hour: all that runs in any of the hours is taken for running in each of them. */
function budgetSlack(
  settings: BudgetSettings | null,
  placed: () => readonly PlacedWorkload[],
  workload: ExistingWorkload,
): number | null {
  const { place } = workload;
  if (settings === null || place === null || !limitsPlaces(settings)) return null;
  const { vcpus, places, maxRegionShare, shareFloorVcpus } = settings;
  const most = places[place] ?? vcpus;
  // The share of an hour is at least the floor.
  const limit = Math.min(most ?? Infinity, maxRegionShare === null ? Infinity : shareFloorVcpus);
  // A place without a limit of its own.
  if (limit === Infinity) return null;
  const others = placed().filter((one) => one.place === place && overlaps(one, workload));
  return limit - workload.vcpus - others.reduce((sum, one) => sum + one.vcpus, 0);
}

/** The rest of the limits, without the object and the others that its decision counted. Null where nothing is limited. */
export function slackOf(
  { quota, budgets }: Limits,
  workload: ExistingWorkload,
  others: { usage: Usage | null; placed: () => readonly PlacedWorkload[] },
): Slack {
  return {
    quota: quotaSlack(quota, others.usage ?? NOTHING, workload),
    budget: budgetSlack(budgets, others.placed, workload),
  };
}
