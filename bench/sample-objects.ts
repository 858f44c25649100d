import type { WorkloadObject } from "../src/model/workload.ts";
import { DAY_SECONDS, formatTime } from "../src/model/time.ts";

/** Different objects in turn, so that no server benefits from caching the last one. */
export const OBJECTS = 64;
const SIZES = [
  { cpu: 2, memory: 4 },
  { cpu: 4, memory: 16 },
  { cpu: 8, memory: 32 },
  { cpu: 2, memory: 8 },
] as const;
const PROVIDERS = ["azure", "aws", "gcp", "elemento"] as const;

const objectOf = (
  name: string,
  namespace: string,
  apiVersion: string,
  spec: Record<string, unknown>,
): WorkloadObject => ({
  apiVersion,
  kind: "VmTemplate",
  metadata: { name, namespace },
  spec,
});

/** Batch work as an application team would request it, with unique names; `nowSeconds` in seconds since 1970. */
export function batchObjects(count: number, nowSeconds: number, apiVersion: string): WorkloadObject[] {
  return Array.from({ length: count }, (_, index) =>
    objectOf(`batch-${index}`, "default", apiVersion, {
      ...SIZES[index % SIZES.length],
      duration: "3h",
      deadline: formatTime(nowSeconds + DAY_SECONDS),
      maxLatency: 40,
      origin: "azure/italynorth",
      dataResidency: ["EU"],
    }),
  );
}

/** Long-running machines, a quarter on each provider, all to start now. Elemento has no firewall, so no ports there. */
export function machineObjects(count: number, namespace: string, apiVersion: string): WorkloadObject[] {
  return Array.from({ length: count }, (_, index) => {
    const provider = PROVIDERS[index % PROVIDERS.length];
    const ports = provider === "elemento" ? {} : { ports: [{ port: 22 }] };
    return objectOf(`machine-${index}`, namespace, apiVersion, { ...SIZES[0], provider, ...ports });
  });
}

/** The AdmissionReview that the API server would send for a creation. */
export const reviewOf = (object: WorkloadObject, uid: string): Record<string, unknown> => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid,
    kind: { group: "composition.krateo.io", version: object.apiVersion.split("/")[1], kind: object.kind },
    resource: { group: "composition.krateo.io", version: object.apiVersion.split("/")[1], resource: "vmtemplates" },
    name: object.metadata.name,
    namespace: object.metadata.namespace,
    operation: "CREATE",
    userInfo: { username: "landfall-admin", groups: ["system:authenticated"] },
    object,
    oldObject: null,
    // Nothing is stored, and a namespace whose objects are not stored is refused (ADM_UNSTORED).
    dryRun: true,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
  },
});
