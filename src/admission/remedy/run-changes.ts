import type { Decision } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { pauseWayOf } from "../../model/runs/pause-rules.ts";
import { HOUR_SECONDS, parseDuration } from "../../model/time.ts";
import { hasCode } from "../check/denial.ts";
import type { DecisionRequest } from "../types.ts";
import { bisect, type CandidateChange, type Fields, firstOf } from "./change-search.ts";

const kept = (disk: unknown): unknown => (isObject(disk) ? { ...disk, deletionPolicy: "retain" } : disk);

/** A run that may pause where no machine can be stopped: it is created again, on data disks that stay. */
export function recreateInstead(spec: Fields, denied: Decision, cost: number): CandidateChange[] {
  const { interruptible, disks } = spec;
  if (pauseWayOf(spec) !== "stop" || !isObject(interruptible) || !hasCode(denied, "POL_RUN_STOP")) return [];
  const list: unknown[] = Array.isArray(disks) ? disks : [];
  const fields = {
    interruptible: { ...interruptible, by: "recreate" },
    ...(list.length === 0 ? {} : { disks: list.map(kept) }),
  };
  const text = `interruptible.by: recreate${list.length === 0 ? "" : " and deletionPolicy: retain on each disk"}`;
  return [firstOf([{ fields, text }], cost, { fields, text })];
}

/** The longest run of whole hours that passes, of one that a change makes too long for the budgets of its place. */
export function shorterRun({ object, running }: DecisionRequest, denied: Decision): CandidateChange[] {
  const duration = object.spec?.["duration"];
  const wanted = Math.ceil(((typeof duration === "string" ? parseDuration(duration) : null) ?? 0) / HOUR_SECONDS);
  if (running === undefined || wanted <= 1 || !hasCode(denied, "PLACEMENT_BUDGET")) return [];
  const withHours = (hours: number): Fields => ({ duration: `${String(hours)}h` });
  const change: CandidateChange = {
    loosest: null,
    smallest: (ask) => {
      if (ask(withHours(1))?.allowed !== true) return null;
      const hours = bisect(1, wanted, (middle) => ask(withHours(middle)));
      return {
        fields: withHours(hours),
        text: `duration ≤ ${String(hours)}h`,
        where: "",
        cost: Math.log(wanted / hours),
      };
    },
  };
  return [change];
}

/** A limit of the price that no spot machine is known to keep: one on demand has a price, and spot is taken where it is known to cost less. */
export function eitherCapacity({ capacity }: Fields, denied: Decision, cost: number): CandidateChange[] {
  if (capacity !== "spot" || !hasCode(denied, "POL_MAX_PRICE")) return [];
  const version = { fields: { capacity: "either" }, text: "capacity either" };
  return [firstOf([version], cost, version)];
}
