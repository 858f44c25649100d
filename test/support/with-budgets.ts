import type { BudgetSettings } from "../../src/model/places/load.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";

/** The same policies with other budgets in their settings. */
export function withBudgets(policy: LoadedBundle, changes: Partial<BudgetSettings>): LoadedBundle {
  return {
    ...policy,
    evaluate(input) {
      const result = policy.evaluate(input);
      const budgets = { ...result.schedule.budgets, ...changes };
      return { ...result, schedule: { ...result.schedule, budgets } };
    },
  };
}
