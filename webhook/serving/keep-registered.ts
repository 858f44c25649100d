import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { apiPath } from "../../src/cluster/api-path.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { faultOf } from "./configuration-fault.ts";
import { configurationPath, configurationsFor, type Endpoint, register } from "./register.ts";

/** An annotation of Landfall's namespace with the reason why the configurations stay as they are: an emergency, or an uninstallation. */
export const SUSPENDED = "landfall.dev/webhooks-suspended";

/** `suspended`: they differ, and someone wants it so. */
export type RegistrationState = "registered" | "suspended" | "failing";

export interface KeepOptions {
  client: KubeClient;
  /** As it is now: its CA can change. */
  endpoint: () => Endpoint;
  /** ConfigMap of the chart's release in the system namespace: without it, the release is being removed. Null for none. */
  releaseConfigMap?: string | null;
  /** Landfall's own: tenants cannot change it. */
  systemNamespace: string;
  onEvent: (event: { type: "Normal" | "Warning"; reason: string; message: string }) => void;
  onFailure: (thrown: unknown) => void;
  /** Milliseconds between two looks. */
  everyMs?: number;
}

export interface Registration {
  state: () => RegistrationState;
  /** How often a configuration was put back. */
  restored: () => number;
  stop: () => Promise<void>;
}

/** Whether the release that this process belongs to is still there. */
export async function isReleased(
  client: KubeClient,
  { systemNamespace, releaseConfigMap = null }: Pick<KeepOptions, "systemNamespace" | "releaseConfigMap">,
): Promise<boolean> {
  if (releaseConfigMap === null) return true;
  const path = apiPath`/api/v1/namespaces/${systemNamespace}/configmaps/${releaseConfigMap}`;
  const release = await client.get<KubernetesObject>(path);
  return release !== null && release.metadata.deletionTimestamp === undefined;
}

/** Watches the two webhook configurations of this process, and puts them back when someone changes or deletes them. */
export function keepRegistered(options: KeepOptions): Registration {
  const { client, endpoint, systemNamespace, onEvent, onFailure, everyMs = 5000 } = options;
  let state: RegistrationState = "registered";
  let restored = 0;
  let underway: Promise<void> = Promise.resolve();

  async function faults(): Promise<string[]> {
    const now = endpoint();
    const found = configurationsFor(now).map(async (wanted) => {
      const { configuration } = wanted;
      const fault = faultOf(configuration, await client.get<KubernetesObject>(configurationPath(wanted)), now);
      return fault === null ? [] : [`${configuration.kind} ${configuration.metadata.name ?? ""} ${fault}`];
    });
    return (await Promise.all(found)).flat();
  }

  async function suspendedBy(): Promise<string | null> {
    if (!(await isReleased(client, options))) return "the chart's release is being removed";
    const namespace = await client.get<KubernetesObject>(apiPath`/api/v1/namespaces/${systemNamespace}`);
    const reason = namespace?.metadata.annotations?.[SUSPENDED] ?? "";
    return reason === "" ? null : `${SUSPENDED} is set: ${reason}`;
  }

  async function look(): Promise<void> {
    const found = await faults();
    if (found.length === 0) {
      state = "registered";
      return;
    }
    const reason = await suspendedBy();
    const before = state;
    if (reason === null) {
      await register(client, endpoint());
      restored += 1;
      state = "registered";
      onEvent({
        type: "Warning",
        reason: "RegistrationRestored",
        message: `${found.join("; ")}; it is as before again`,
      });
      return;
    }
    state = "suspended";
    if (before === "suspended") return;
    const message = `${found.join("; ")}; it stays so: ${reason}. Objects are not decided`;
    onEvent({ type: "Warning", reason: "RegistrationSuspended", message });
  }

  const timer = setInterval(() => {
    underway = look().catch((thrown: unknown) => {
      state = "failing";
      onFailure(thrown);
    });
  }, everyMs);
  return {
    state: () => state,
    restored: () => restored,
    stop: async () => {
      clearInterval(timer);
      await underway;
    },
  };
}
