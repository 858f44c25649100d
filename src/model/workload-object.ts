import type { KubernetesObject } from "./kubernetes.ts";

/** A VmTemplate or KaasCluster as it came: nothing about `spec` is known before `checkObject` has passed. */
export interface WorkloadObject extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: unknown;
}
