import { below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { secretsPath } from "../../src/cluster/secrets-path.ts";
import { EMERGENCY_SECRET, emergenciesAt, emergencyCondition, readEmergencies } from "../../src/model/emergency.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import type { ServerClock } from "../../src/cluster/server-clock.ts";
import { nowSeconds } from "../../src/model/time.ts";
import type { MatchCondition } from "./match-conditions.ts";

/**
 * Reads the recorded emergencies: their condition is kept in the configurations while they last, and removed afterwards. They last by the API
 * server's clock, which is the same for all replicas.
 */
export function followEmergencies(
  { client, clock }: { client: Pick<KubeClient, "get">; clock: Pick<ServerClock, "nowSeconds"> },
  systemNamespace: string,
) {
  let condition: MatchCondition | null = null;
  return {
    /** As it was read last; null if no emergency lasts. */
    condition: (): MatchCondition | null => condition,
    read: async (): Promise<void> => {
      const secret = await client.get<KubernetesObject>(below(secretsPath(systemNamespace), EMERGENCY_SECRET));
      condition = emergencyCondition(emergenciesAt(readEmergencies(secret), clock.nowSeconds() ?? nowSeconds()));
    },
  };
}
