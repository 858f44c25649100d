import { conditionsOf } from "../../../model/kubernetes.ts";
import { stringOf } from "../../../model/json.ts";
import type { Provider, WorkloadObject } from "../../../model/workload.ts";
import { within } from "./rendered.ts";

/** A failure of the control plane's own resource, as the composition controller writes it: `Cluster web: …`. */
const OF_CONTROL_PLANE = /^(?:Cluster|ContainerCluster|ManagedCluster) [\w.-]{1,253}: /;

const FAILURES = new Set(["ProviderTerminal", "ProviderCapacity", "ProviderRetrying"]);

/** The minor version of `1.35`, `1.35.2` or `1.35.2-gke.7`; null for any other text. */
export function minorOf(version: unknown): number | null {
  const found = /^1\.(\d{1,4})(?:[.-]|$)/.exec(stringOf(version))?.[1];
  return found === undefined ? null : Number(found);
}

/** The minor version that the control plane runs, as its provider says; null while that is not known. */
export const runningMinor = ({ status }: WorkloadObject): number | null => minorOf(within(status, "version"));

/** Whether the provider refuses the control plane as its specification is, or cannot make it so. */
export function isControlPlaneRefused({ status }: WorkloadObject): boolean {
  const conditions = conditionsOf({ status: { conditions: within(status, "conditions") } });
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready?.status === "False" && FAILURES.has(ready.reason) && OF_CONTROL_PLANE.test(stringOf(ready.message));
}

const isUnknown = ({ status }: WorkloadObject, fields: readonly string[]): boolean =>
  fields.every((field) => within(status, field) === undefined);

/** Whether the provider refuses the cluster, and none ever ran: neither an endpoint nor a version is known. */
const neverRan = (object: WorkloadObject): boolean =>
  isControlPlaneRefused(object) && isUnknown(object, ["endpoint", "version"]);

/** Whether the provider has refused the cluster and made none. One that it accepted and could not finish has a state, and is there. */
export const wasNeverMade = (object: WorkloadObject): boolean =>
  neverRan(object) && isUnknown(object, ["providerState"]);

/** The remedy for a cluster that never ran, which has no workloads to move; null for any other. */
export function remedyUnrun(object: WorkloadObject): string | null {
  if (!neverRan(object)) return null;
  const why = wasNeverMade(object) ? "has made nothing of it" : "has a cluster that it could not finish";
  return `delete the object and create it again: the provider ${why}`;
}

interface Openings {
  zones: boolean;
  poolTypes: boolean;
}

/**
 * The fields that an operator takes another value of while its cluster was never made. The CRD of ACK's Nodegroup has a rule against another type, and Config Connector's webhook refuses another location or type, whether something exists or not.
 */
const OPENINGS: Readonly<Partial<Record<Provider, Openings>>> = {
  aws: { zones: true, poolTypes: false },
  azure: { zones: true, poolTypes: true },
};

const CLOSED: Openings = { zones: false, poolTypes: false };

/** The fields of this object that can be corrected, because its cluster was never made. */
export const openingsOf = (object: WorkloadObject, provider: Provider): Openings =>
  wasNeverMade(object) ? (OPENINGS[provider] ?? CLOSED) : CLOSED;
