import type { KubernetesObject } from "../model/kubernetes.ts";
import type { Api } from "./connect-api.ts";
import { waitUntil } from "./wait-until.ts";

interface Definition extends KubernetesObject {
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
}

const SECONDS = 20;

const isDefinition = (object: KubernetesObject): object is Definition => object.kind === "CustomResourceDefinition";

/** Waits until the API server answers for a CRD's kinds, which is a moment after it accepted the CRD. Errors: LOCAL_NOT_READY. */
export async function awaitServed(api: Api, object: KubernetesObject): Promise<void> {
  if (!isDefinition(object)) return;
  const { group, names, versions } = object.spec;
  for (const { name } of versions.filter(({ served }) => served)) {
    const path = `/apis/${group}/${name}/${names.plural}?limit=1`;
    const wait = { what: `CRD ${object.metadata.name ?? ""}`, seconds: SECONDS, log: "kube-apiserver's log" };
    await waitUntil(wait, async () => (await api.request(path)).status === 200);
  }
}
