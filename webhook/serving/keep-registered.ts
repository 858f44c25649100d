import type { KubeClient } from "../../src/cluster/create-client.ts";
import { apiPath, below, versionPath } from "../../src/cluster/api-path.ts";
import { isObject } from "../../src/model/json.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { ADMISSION_API, configurationsFor, type Endpoint, register } from "./register.ts";

/** An annotation of Landfall's namespace with the reason why the configurations stay as they are: an emergency, or an uninstallation. */
export const SUSPENDED = "landfall.dev/webhooks-suspended";

/** `suspended`: they differ, and somebody wants it so. */
export type RegistrationState = "registered" | "suspended" | "failing";

export interface KeepOptions {
  client: KubeClient;
  endpoint: Endpoint;
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

/** Whether everything in `wanted` is in `present`. Of lists, every item, and no other: a selector or condition more may exclude objects. */
function holds(wanted: unknown, present: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(present) && wanted.length === present.length && wanted.every((one, at) => holds(one, present[at]))
    );
  if (!isObject(wanted)) return wanted === present;
  return isObject(present) && Object.entries(wanted).every(([key, value]) => holds(value, present[key]));
}

const EXCLUDING = ["namespaceSelector", "objectSelector", "matchConditions"] as const;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

const webhooksOf = (configuration: KubernetesObject): unknown[] => {
  const { webhooks } = configuration as { webhooks?: unknown };
  return Array.isArray(webhooks) ? webhooks : [];
};

/** Why a configuration does not send every object to this webhook; null if it does. */
export function faultOf(wanted: KubernetesObject, present: KubernetesObject | null): string | null {
  if (present === null) return "was deleted";
  if (!holds(webhooksOf(wanted), webhooksOf(present))) return "was changed";
  const excludes = webhooksOf(present).some((one) => isObject(one) && EXCLUDING.some((key) => !isEmpty(one[key])));
  return excludes ? "got a selector or condition that excludes objects" : null;
}

/** Watches the two webhook configurations of this process, and puts them back when somebody changes or deletes them. */
export function keepRegistered(options: KeepOptions): Registration {
  const { client, endpoint, systemNamespace, onEvent, onFailure, everyMs = 5000 } = options;
  const wanted = configurationsFor(endpoint);
  let state: RegistrationState = "registered";
  let restored = 0;
  let underway: Promise<void> = Promise.resolve();

  async function faults(): Promise<string[]> {
    const found = wanted.map(async ({ plural, configuration }) => {
      const { name = "" } = configuration.metadata;
      const path = below(versionPath(ADMISSION_API), plural, name);
      const fault = faultOf(configuration, await client.get<KubernetesObject>(path));
      return fault === null ? [] : [`${configuration.kind} ${name} ${fault}`];
    });
    return (await Promise.all(found)).flat();
  }

  async function suspendedBy(): Promise<string | null> {
    const namespace = await client.get<KubernetesObject>(apiPath`/api/v1/namespaces/${systemNamespace}`);
    const reason = namespace?.metadata.annotations?.[SUSPENDED] ?? "";
    return reason === "" ? null : reason;
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
      await register(client, endpoint);
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
    const message = `${found.join("; ")}; it stays so, because ${SUSPENDED} is set: ${reason}. Objects are not decided`;
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
