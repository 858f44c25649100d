import { LandfallError } from "../src/errors.ts";
import { openScheduler, type Scheduler } from "../src/external-data/scheduler/open-scheduler.ts";
import type { WebhookOptions } from "../src/command-line/webhook-options.ts";

/** Together with the wait for others it has to fit into the time that a decision may take. */
const BUDGET_MS = { least: 50, most: 5000 };

/** The scheduler outside that the command line names; null where it names none. Throws SCHEDULER_SETTINGS. */
export function openExternalScheduler(options: WebhookOptions): Scheduler | null {
  const { scheduler: url, schedulerTokenFile, schedulerBudgetMs } = options;
  if (url === undefined) return null;
  const budgetMs = Number(schedulerBudgetMs);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new LandfallError("SCHEDULER_SETTINGS", { detail: `${url} is no http or https URL` });
  if (!Number.isInteger(budgetMs) || budgetMs < BUDGET_MS.least || budgetMs > BUDGET_MS.most)
    throw new LandfallError("SCHEDULER_SETTINGS", { detail: `a budget of ${schedulerBudgetMs} ms` });
  return openScheduler({ url, tokenFile: schedulerTokenFile ?? null, budgetMs });
}
