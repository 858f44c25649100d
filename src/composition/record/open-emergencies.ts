import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { type Emergency, EMERGENCY_SECRET, readEmergencies } from "../../model/emergency.ts";
import type { Resource } from "../types.ts";

/** Reads the emergencies that are recorded, the oldest first. Throws REL_API…. */
export type ReadEmergencies = () => Promise<Emergency[]>;

export const openEmergencies =
  (client: KubeClient, systemNamespace: string): ReadEmergencies =>
  async () =>
    readEmergencies(await client.get<Resource>(below(secretsPath(systemNamespace), EMERGENCY_SECRET)));
