import { below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { secretsPath } from "../../src/cluster/secrets-path.ts";
import { EMERGENCY_SECRET, emergenciesAt, emergencyCondition, readEmergencies } from "../../src/model/emergency.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { nowSeconds } from "../../src/model/time.ts";
import type { MatchCondition } from "./match-conditions.ts";

/** Reads the recorded emergencies: their condition is kept in the configurations while they last, and removed afterwards. */
export function followEmergencies(client: KubeClient, systemNamespace: string) {
  let condition: MatchCondition | null = null;
  return {
    /** As it was read last; null if no emergency lasts. */
    condition: (): MatchCondition | null => condition,
    read: async (): Promise<void> => {
      const secret = await client.get<KubernetesObject>(below(secretsPath(systemNamespace), EMERGENCY_SECRET));
      condition = emergencyCondition(emergenciesAt(readEmergencies(secret), nowSeconds()));
    },
  };
}
