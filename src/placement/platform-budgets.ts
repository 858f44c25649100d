import type { Budgets, BudgetSettings, LoadTable } from "../model/load.ts";

/** The platform's budgets over what is placed already; null where the settings limit nothing. */
export function platformBudgets(settings: BudgetSettings, load: LoadTable): Budgets | null {
  const { vcpus, places, maxRegionShare, shareFloorVcpus, nearFull } = settings;
  if (vcpus === null && maxRegionShare === null && Object.keys(places).length === 0) return null;
  const limitAt: Budgets["limitAt"] = (place, hour, adding) => {
    const most = places[place] ?? vcpus ?? Number.POSITIVE_INFINITY;
    if (maxRegionShare === null) return most;
    return Math.min(most, Math.max(shareFloorVcpus, maxRegionShare * (load.totalAt(hour) + adding)));
  };
  return { limitAt, softLimit: nearFull };
}
