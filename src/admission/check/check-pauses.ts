import type { Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { diskNames } from "../../model/runs/kept-disks.ts";
import { pauseWayOf } from "../../model/runs/pause-rules.ts";
import { parseWait } from "../../model/time.ts";
import type { WorkloadObject, WorkloadRequest } from "../../model/workload.ts";
import { denial, shown } from "./denial.ts";
import { timeDenial } from "./schema-denials.ts";
import { SCHEMAS } from "./schemas.ts";

/** Times in `spec.interruptible` that are not valid. */
export function checkPauseTimes({ spec = {} }: WorkloadObject): Denial[] {
  const { interruptible } = spec;
  if (!isObject(interruptible)) return [];
  return ["minRun", "resumeCost"].flatMap((key) => {
    const actual = interruptible[key];
    const wrong = typeof actual === "string" && parseWait(actual) === null;
    return wrong ? [timeDenial(SCHEMAS.VmTemplate, `/interruptible/${key}`, actual)] : [];
  });
}

/** Why a run cannot be split, and what to write instead; null if it can. */
function faultOf(spec: Record<string, unknown>, workload: WorkloadRequest): [detail: string, instead: string] | null {
  const { pauses, durationSeconds, deadline } = workload;
  if (pauses === undefined) return null;
  if (durationSeconds === null)
    return ["needs a duration: there is no work to split", "add duration, for example duration: 6h"];
  if (deadline === null)
    return [
      "needs a deadline: without one there is no time to pause",
      "add deadline, for example a day after the duration",
    ];
  if (pauses.minRunSeconds > durationSeconds) {
    const duration = shown(spec["duration"]);
    return [`has a minRun that is longer than duration ${duration}`, `write a minRun of at most ${duration}`];
  }
  return diskFault(spec);
}

/** A pause that deletes the machine keeps only what is on disks that stay. */
function diskFault(spec: Record<string, unknown>): [detail: string, instead: string] | null {
  const lost = pauseWayOf(spec) === "recreate" ? diskNames(spec, "delete") : [];
  if (lost.length === 0) return null;
  const detail = `has by: recreate, which deletes the machine in each pause, and the data disk ${lost.join(", ")} does not stay`;
  return [detail, "add deletionPolicy: retain to each data disk, or remove the disk"];
}

/** Problems of a run that may pause, for an object whose times are valid. */
export function checkPauses({ spec = {} }: WorkloadObject, workload: WorkloadRequest): Denial[] {
  const fault = faultOf(spec, workload);
  if (fault === null) return [];
  const [detail, instead] = fault;
  return [denial("ADM_INTERRUPTIBLE", { field: "spec.interruptible" }, { detail, instead })];
}
