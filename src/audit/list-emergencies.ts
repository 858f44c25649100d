import { type Emergency, emergencyAt } from "../model/emergency.ts";
import { ANNOTATION } from "../model/names.ts";
import { parseTime } from "../model/time.ts";
import type { Workload } from "../model/workload.ts";

/** An object that was created while admission was switched off. */
export interface EmergencyObject {
  kind: string;
  namespace: string;
  name: string;
  /** Whether a decision was made for it since. */
  decided: boolean;
  emergency: Emergency;
}

/** The objects that were created in recorded emergencies. */
export const listEmergencies = (objects: readonly Workload[], emergencies: readonly Emergency[]): EmergencyObject[] =>
  objects.flatMap(({ kind, metadata }) => {
    const { namespace = "", name = "", creationTimestamp = "", annotations = {} } = metadata;
    const emergency = emergencyAt(emergencies, namespace, parseTime(creationTimestamp) ?? Number.NaN);
    return emergency === null
      ? []
      : [{ kind, namespace, name, decided: ANNOTATION.decision in annotations, emergency }];
  });
