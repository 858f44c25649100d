import { below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { secretsPath } from "../../src/cluster/secrets-path.ts";
import {
  type Emergency,
  EMERGENCY_SECRET,
  emergenciesAt,
  emergencyCondition,
  readEmergencies,
} from "../../src/model/emergency.ts";
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
  let known: readonly Emergency[] = [];
  return {
    /** Of those that were read last and still last; null if none does. An emergency ends in time, whether or not its record can be read. */
    condition: (): MatchCondition | null =>
      emergencyCondition(emergenciesAt(known, clock.nowSeconds() ?? nowSeconds())),
    read: async (): Promise<void> => {
      const secret = await client.get<KubernetesObject>(below(secretsPath(systemNamespace), EMERGENCY_SECRET));
      known = readEmergencies(secret);
    },
  };
}
