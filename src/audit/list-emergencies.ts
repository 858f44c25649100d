import type { Emergency } from "../model/emergency.ts";
import type { Workload } from "../model/workload.ts";
import { emergencyOf, type Proof, wasDecided } from "./was-decided.ts";

/** An object that was created while admission was switched off. */
export interface EmergencyObject {
  kind: string;
  namespace: string;
  name: string;
  /** Whether admission decided it since; null if the signature of the decision that it names cannot be checked. */
  decided: boolean | null;
  emergency: Emergency;
}

/** The objects that were created in recorded emergencies. */
export const listEmergencies = (objects: readonly Workload[], proof: Proof): EmergencyObject[] =>
  objects.flatMap((object) => {
    const { namespace = "", name = "" } = object.metadata;
    const emergency = emergencyOf(object, proof.emergencies);
    if (emergency === null) return [];
    return [{ kind: object.kind, namespace, name, decided: wasDecided(object, proof), emergency }];
  });
