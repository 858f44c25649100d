import type { ExistingWorkload } from "../model/cluster-data.ts";
import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import type { DecisionIndex } from "./decision-index.ts";

/** The known decisions and recorded releases. */
export interface Known extends Pick<DecisionIndex, "ownerOf" | "isInstalled" | "hasRecords"> {
  runningOf: DecisionOwners["runningOf"];
}

/** Whether the object's decision was made for it. Where no controller binds decisions, a signature alone has to do. */
function isOwn({ unverified, standing, decisionId, uid }: ExistingWorkload, known: Known): boolean {
  if (unverified === true) return false;
  const owner = decisionId === undefined ? null : known.ownerOf(decisionId);
  if (owner !== null) return owner === uid;
  return standing === undefined || (standing === "unbound" && !known.hasRecords());
}

/**
 * The part of an object that counts in its place. If its decision was not made for it, that is what a controller recorded of its releases there:
 * the object itself can ask for anything, for instance while it is being deleted.
 */
export function trustPlace(workload: ExistingWorkload, known: Known): ExistingWorkload {
  const { kind, namespace, name, uid, place } = workload;
  if (place === null || isOwn(workload, known)) return workload;
  const object = { kind, metadata: { namespace, name } };
  const running = known.runningOf({ kind, metadata: { ...object.metadata, ...(uid === undefined ? {} : { uid }) } });
  const here = running.filter((size) => size.place === place);
  if (here.length > 0) {
    const most = (amount: "vcpus" | "memoryGiB"): number => Math.max(...here.map((size) => size[amount]));
    return { ...workload, vcpus: most("vcpus"), memoryGiB: most("memoryGiB") };
  }
  // Records of earlier versions do not say what runs.
  const isRecorded = known.runningOf(object).length === 0 && known.isInstalled(object, place);
  return isRecorded ? workload : { ...workload, place: null };
}
