import { API_VERSION, COMPOSITION_GROUP, type Kind, OBJECT_VERSION } from "../../src/model/names.ts";
import type { DecisionProcess } from "../decisions/start-process.ts";

/** Objects that no one but Landfall wrote. */
const SPECS: Record<Kind, Record<string, unknown>> = {
  VmTemplate: { cpu: 2, memory: 4 },
  KaasCluster: { nodePools: [{ name: "a", cpu: 2, memory: 4 }] },
};

function reviewOf(kind: string, namespace: string, spec: object): string {
  const object = {
    ...{ apiVersion: API_VERSION, kind },
    ...{ metadata: { name: "self-test", namespace }, spec },
  };
  const request = {
    ...{ uid: "self-test", operation: "CREATE", dryRun: true, namespace, object },
    kind: { group: COMPOSITION_GROUP, version: OBJECT_VERSION, kind },
  };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

/**
 * Asks a loaded bundle about one object of each kind in each of these namespaces. Any answer will do: rejects with ADM_… if
 * the process ends, which is then the bundle's doing and not a tenant's.
 */
export async function selfTest(decider: DecisionProcess, namespaces: readonly string[]): Promise<void> {
  for (const namespace of new Set(namespaces))
    for (const [kind, spec] of Object.entries(SPECS))
      await decider.ask("/mutate", reviewOf(kind, namespace, spec), { quiet: true });
}

/**
 * The team whose rules fail for an object that no one but Landfall wrote; null if there is none. What a tenant's object does
 * to a team's rules says nothing about them.
 */
export async function findFailingTeam(decider: DecisionProcess): Promise<string | null> {
  for (const [kind, spec] of Object.entries(SPECS)) {
    const { log } = await decider.ask("/mutate", reviewOf(kind, "landfall-self-test", spec), { quiet: true });
    const team = log?.["failedTeam"];
    if (typeof team === "string") return team;
  }
  return null;
}
