import { admit } from "../../src/admission/admit.ts";
import type { AdmissionContext, Outcome } from "../../src/admission/types.ts";
import type { DecisionOwners, RunStanding } from "../../src/model/decision-annotation/standing.ts";
import { readDecision } from "../../src/model/decision-annotation/compact-decision.ts";
import { ANNOTATION, type Kind } from "../../src/model/names.ts";
import { placeName, type WorkloadObject } from "../../src/model/workload.ts";
import { formatTime } from "../../src/model/time.ts";
import { create, NO_OWNERS, NOW, patched, update, vm } from "./admission.ts";

const UID = "0b1f9a3e-6a0e-4c55-8e7e-1d2f3a4b5c6d";

const OVER = [
  { type: "Running", status: "False", reason: "X", message: "", lastTransitionTime: "" },
  { type: "Completed", status: "True", reason: "X", message: "", lastTransitionTime: "" },
];

type Annotations = Record<string, string | null>;

/** The object with other annotations; null removes one. */
export function annotated(object: WorkloadObject, changes: Annotations): WorkloadObject {
  const all: Annotations = { ...object.metadata.annotations, ...changes };
  const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(kept) } };
}

export interface Ended {
  /** As it is stored since its last run is over. */
  object: WorkloadObject;
  owners: DecisionOwners;
}

interface Options {
  spec: Record<string, unknown>;
  /** A machine if omitted. */
  kind?: Kind;
  /** `over`: its machine is still there. `gone`: nothing of it is left. */
  standing: Extract<RunStanding, "over" | "gone">;
  context: AdmissionContext;
  annotations?: Record<string, string>;
  /** Seconds since 1970. */
  endedAt?: number;
}

/** An object whose first run is over, as a controller and its record say. */
export function endedRun({
  spec,
  kind = "VmTemplate",
  standing,
  context,
  annotations = {},
  endedAt = NOW,
}: Options): Ended {
  const wanted = { ...vm(spec, { uid: UID, creationTimestamp: formatTime(NOW), annotations }), kind };
  const decided = patched(wanted, admit({ ...create(wanted), kind }, context));
  const managed = standing === "over" ? [{}] : [];
  const status = { conditions: OVER, managed, run: { ended: formatTime(endedAt) } };
  const object = { ...annotated(decided, { [ANNOTATION.paused]: null }), status };
  return { object, owners: ownersOf(object, standing) };
}

/** What is recorded of an object whose first run is over. */
export function ownersOf(object: WorkloadObject, standing: "over" | "gone"): DecisionOwners {
  const placement = readDecision(object)?.placement;
  const place = placement === undefined ? "" : placeName(placement);
  const size = { place, vcpus: 2, memoryGiB: 8, pricePerHour: null };
  return {
    ...NO_OWNERS,
    ownerOf: () => UID,
    isInstalled: () => standing === "over",
    runOf: () => standing,
    recordedRunOf: () => "",
    beganOf: () => ({ startedAt: NOW, firstStartedAt: NOW }),
    runningOf: () => (standing === "over" ? [size] : []),
  };
}

/** The answer to an update of an object whose first run is over. */
export const asking = (old: WorkloadObject, next: WorkloadObject, context: AdmissionContext): Outcome =>
  admit({ ...update(old, next), kind: old.kind === "KaasCluster" ? "KaasCluster" : "VmTemplate" }, context);
