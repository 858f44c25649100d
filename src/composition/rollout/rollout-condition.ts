import { condition } from "../definition/write-status.ts";
import type { ConditionInput, ServedChart } from "../types.ts";
import type { RolloutPlan } from "./plan-rollout.ts";
import type { ReadSettings } from "./read-settings.ts";

/** The type of a definition's condition about its rollout. */
export const ROLLED_OUT = "RolledOut";

/** For the platform's people: how many objects there are in all namespaces is not for those of one. */
function told({ state, moved, total, failed }: RolloutPlan): string {
  const counts = `${String(moved)} of ${String(total)} objects have it`;
  if (state === "Paused") return `${counts}; the rollout is paused`;
  if (state === "Stopped")
    return `${counts}; the rollout stopped, as ${String(failed.length)} failed after their upgrade`;
  return counts;
}

/** The condition of a definition. */
export function conditionOf(
  plan: RolloutPlan,
  { chart, settings }: { chart: ServedChart; settings: ReadSettings },
): ConditionInput {
  const { version } = chart.chart;
  const why = plan.state === "Paused" ? `: ${settings.paused}` : "";
  const names = plan.failed.slice(0, 5).map(({ namespace, name }) => `${namespace}/${name}`);
  const failed = names.length === 0 ? "" : `: ${names.join(", ")}`;
  const advice =
    plan.state === "Stopped"
      ? "; correct them, set the chart's version back, or raise landfall.dev/rollout-failures"
      : "";
  const parts = [`chart ${version}: ${told(plan)}${why}${failed}${advice}`, ...settings.problems];
  return condition(ROLLED_OUT, plan.state === "Complete", plan.state, parts.join(". "));
}

/** Why an object still has the installed chart, for its user. */
export function waitingText(plan: RolloutPlan | null, installed: string, { chart }: ServedChart): string {
  const about = `chart ${installed} stays until its turn for ${chart.version}`;
  if (plan?.state === "Paused") return `${about}: the rollout is paused`;
  return plan?.state === "Stopped" ? `${about}: the rollout stopped` : about;
}
