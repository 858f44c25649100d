import type { KubernetesObject, NamespaceData } from "../model/kubernetes.ts";

/** The data of a Namespace object for decisions. */
export const namespaceOf = ({
  metadata: { name = "", labels = {}, annotations = {} },
}: KubernetesObject): NamespaceData => ({
  name,
  labels,
  annotations,
});
