import { type ApiPath, below } from "../../../cluster/api-path.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { retryConflicts } from "../../../cluster/retry-conflicts.ts";
import { secretsPath } from "../../../cluster/secrets-path.ts";
import {
  damagedRecord,
  type Emergency,
  EMERGENCY_SECRET,
  emergencyMetadata,
  keptEmergencies,
  readEmergencies,
} from "../../../model/emergency.ts";
import type { KubernetesObject } from "../../../model/kubernetes.ts";

/** How often a write is tried that another overtakes. */
export const ATTEMPTS = 5;

export interface Recorded {
  /** Older ones, which the record does not keep any more. */
  left: Emergency[];
  /** The record could not be read as a whole: its text is kept in another annotation. */
  wasDamaged: boolean;
}

export const recordPath = (system: string): ApiPath => below(secretsPath(system), EMERGENCY_SECRET);

/** The Secret with these emergencies. What others added to its metadata stays. */
function secretWith(present: KubernetesObject | null, emergencies: readonly Emergency[], system: string) {
  const { labels, annotations, name } = emergencyMetadata(emergencies, damagedRecord(present));
  if (present === null) {
    const metadata = { name, labels, annotations, namespace: system };
    return { apiVersion: "v1", kind: "Secret", type: "landfall.dev/emergencies", metadata };
  }
  const { metadata } = present;
  const merged = {
    labels: { ...metadata.labels, ...labels },
    annotations: { ...metadata.annotations, ...annotations },
  };
  return { ...present, metadata: { ...metadata, ...merged } };
}

/** Records the emergencies that `by` makes of those that are recorded, again if another wrote at the same time. */
export const record = (
  client: KubeClient,
  system: string,
  by: (known: Emergency[]) => Emergency[],
): Promise<Recorded> =>
  retryConflicts(async () => {
    const present = await client.get<KubernetesObject>(recordPath(system));
    const written = by(readEmergencies(present));
    const secret = secretWith(present, written, system);
    if (present === null) await client.create(secretsPath(system), secret);
    else await client.replace(recordPath(system), secret);
    const kept = keptEmergencies(written);
    const left = written.filter((one) => !kept.includes(one));
    return { left, wasDamaged: damagedRecord(present) !== null };
  }, ATTEMPTS);
