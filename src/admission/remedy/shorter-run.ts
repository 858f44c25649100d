import type { Decision } from "../../model/decision.ts";
import { HOUR_SECONDS, parseDuration } from "../../model/time.ts";
import { hasCode } from "../check/denial.ts";
import type { DecisionRequest } from "../types.ts";
import { bisect, type Change, type Fields } from "./change.ts";

/** The longest run of whole hours that passes, of one that a change makes too long for the budgets of its place. */
export function shorterRun({ object, running }: DecisionRequest, denied: Decision): Change[] {
  const duration = object.spec?.["duration"];
  const wanted = Math.ceil(((typeof duration === "string" ? parseDuration(duration) : null) ?? 0) / HOUR_SECONDS);
  if (running === undefined || wanted <= 1 || !hasCode(denied, "PLACEMENT_BUDGET")) return [];
  const withHours = (hours: number): Fields => ({ duration: `${String(hours)}h` });
  const change: Change = {
    loosest: null,
    smallest: (ask) => {
      if (ask(withHours(1))?.allowed !== true) return null;
      const hours = bisect(1, wanted, (middle) => ask(withHours(middle)));
      return { fields: withHours(hours), text: `duration ≤ ${String(hours)}h`, cost: Math.log(wanted / hours) };
    },
  };
  return [change];
}
