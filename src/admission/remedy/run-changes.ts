import type { Decision } from "../../model/decision.ts";
import { isObject, textOf } from "../../model/json.ts";
import { pauseWayOf } from "../../model/runs/pause-rules.ts";
import { formatTime, HOUR_SECONDS, parseDuration, parseTime } from "../../model/time.ts";
import { hasCode } from "../check/denial.ts";
import type { DecisionRequest } from "../types.ts";
import { bisect, type CandidateChange, type Fields, firstOf, place } from "./change-search.ts";

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

/** A limit of the price that no spot machine is known to keep: one on demand has a price, and spot is taken where it is known to cost less. A limit below all prices becomes the lowest of them. */
export function eitherCapacity({ capacity }: Fields, denied: Decision, cost: number): CandidateChange[] {
  if (capacity !== "spot" || !hasCode(denied, "POL_MAX_PRICE")) return [];
  const either = { fields: { capacity: "either" }, text: "capacity either" };
  const change: CandidateChange = {
    loosest: either,
    smallest: (ask) => {
      const decision = ask(either.fields);
      if (decision?.allowed === true) return { ...either, where: place(decision), cost };
      const lowest = decision?.denials.find(({ code }) => code === "POL_MAX_PRICE")?.allowed;
      if (typeof lowest !== "string") return null;
      const fields = { ...either.fields, maxPrice: lowest };
      const dearer = ask(fields);
      const text = `${either.text} and maxPrice "${lowest}"`;
      return dearer?.allowed === true ? { fields, text, where: place(dearer), cost: 2 * cost } : null;
    },
  };
  return [change];
}

const RETIME_COST = 0.1;

/** The later deadline, and the earlier start, of a run whose start is too late for its deadline. */
export function withinDeadline({ object: { spec = {} } }: DecisionRequest, { denials }: Decision): CandidateChange[] {
  const latest = denials.find(({ code }) => code === "ADM_START_IMPOSSIBLE")?.allowed;
  const [start, end, last] = [spec["schedulingTime"], spec["deadline"], latest].map((text) => parseTime(textOf(text)));
  if (typeof latest !== "string" || start == null || end == null || last == null) return [];
  const deadline = formatTime(Math.ceil((start + end - last) / HOUR_SECONDS) * HOUR_SECONDS);
  const versions = [
    { fields: { deadline }, text: `deadline ${deadline}` },
    { fields: { schedulingTime: latest }, text: `schedulingTime ${latest}` },
  ];
  return versions.map((version) => firstOf([version], RETIME_COST, version));
}
