import type { Decision } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { pauseWayOf } from "../../model/runs/pause-rules.ts";
import { hasCode } from "../check/denial.ts";
import { type Change, type Fields, firstOf } from "./change.ts";

const kept = (disk: unknown): unknown => (isObject(disk) ? { ...disk, deletionPolicy: "retain" } : disk);

/** A run that may pause where no machine can be stopped: it is created again, on data disks that stay. */
export function recreateInstead(spec: Fields, denied: Decision, cost: number): Change[] {
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
