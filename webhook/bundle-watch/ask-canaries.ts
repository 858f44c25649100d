import { setImmediate as breathe } from "node:timers/promises";
import type { WorkloadObject } from "../../src/model/workload.ts";
import { LandfallError } from "../../src/errors.ts";
import { COMPOSITION_GROUP } from "../../src/model/names.ts";
import { stripDecision } from "../../src/model/decision-annotation/strip-decision.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";

/** Lists at most `most` live objects; none if the API server does not answer. */
export type Canaries = (most: number) => Promise<WorkloadObject[]>;

export interface CanaryReport {
  /** Live objects that the active bundle allows. */
  asked: number;
  /** Those that the new bundle denies, as namespace/name. */
  denied: string[];
}

/** A request to create the object now, in the place that it has. */
function reviewOf(object: WorkloadObject): string {
  const [, version = ""] = object.apiVersion.split("/");
  const request = {
    uid: "canary",
    operation: "CREATE",
    dryRun: true,
    kind: { group: COMPOSITION_GROUP, version, kind: object.kind },
    namespace: object.metadata.namespace,
    object: stripDecision(object, { keepFields: true }),
  };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

async function allows(thread: DecisionThread, review: string): Promise<boolean> {
  const { log } = await thread.ask("/mutate", review, true);
  return log?.["allowed"] === true;
}

/** That the active thread ends says nothing about the new bundle. Throws ADM_RESTARTING: it is tried again. */
function activeEnded(thrown: unknown): never {
  throw new LandfallError("ADM_RESTARTING", {}, thrown);
}

/** Asks both bundles about live objects, one at a time, so that no request waits long. */
export async function askCanaries(
  active: DecisionThread,
  candidate: DecisionThread,
  objects: readonly WorkloadObject[],
): Promise<CanaryReport> {
  const report: CanaryReport = { asked: 0, denied: [] };
  for (const object of objects) {
    const review = reviewOf(object);
    await breathe();
    if (!(await allows(active, review).catch(activeEnded))) continue;
    report.asked += 1;
    if (await allows(candidate, review)) continue;
    report.denied.push(`${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`);
  }
  return report;
}
