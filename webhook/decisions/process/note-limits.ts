import type { Usage } from "../../../src/model/cluster-data.ts";
import type { BudgetSettings } from "../../../src/model/places/load.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";

/** The limits that answers of the policy named. */
export interface Limits {
  /** `unknown`: a bundle of an earlier version does not tell. Null for no answer. */
  quota: Partial<Usage> | "unknown" | null;
  budgets: BudgetSettings | null;
}

/** A bundle, and which limits its answers named since the last `begin`. */
export interface NotedLimits {
  policy: LoadedBundle;
  begin(): void;
  limits(): Limits;
  /** Ms that the policy took since the last `begin`. */
  policyMs(): number;
}

/** Notes what an object has to be reserved for, and how long the policy took. All answers about one request name the same limits. */
export function noteLimits(policy: LoadedBundle): NotedLimits {
  let limits: Limits = { quota: null, budgets: null };
  let policyMs = 0;
  return {
    policy: {
      ...policy,
      evaluate(input) {
        const beganAt = performance.now();
        const result = policy.evaluate(input);
        policyMs += performance.now() - beganAt;
        limits = { quota: result.quota ?? "unknown", budgets: result.schedule.budgets };
        return result;
      },
    },
    begin() {
      limits = { quota: null, budgets: null };
      policyMs = 0;
    },
    limits: () => limits,
    policyMs: () => policyMs,
  };
}
