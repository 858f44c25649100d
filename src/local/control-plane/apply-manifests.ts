import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { applyObject } from "./apply-object.ts";
import { readManifests } from "./read-manifests.ts";

interface Definition extends KubernetesObject {
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
}

const SERVED_SECONDS = 20;

const isDefinition = (object: KubernetesObject): object is Definition => object.kind === "CustomResourceDefinition";

/** Waits until the API server serves a CRD's kinds, which is a moment after it accepted the CRD. Errors: LOCAL_NOT_READY. */
async function awaitServed(client: KubeClient, object: KubernetesObject): Promise<void> {
  if (!isDefinition(object)) return;
  const { group, names, versions } = object.spec;
  for (const { name } of versions.filter(({ served }) => served)) {
    const path = apiPath`/apis/${group}/${name}/${names.plural}`;
    const wait = { what: `CRD ${object.metadata.name ?? ""}`, seconds: SERVED_SECONDS, log: "kube-apiserver's log" };
    await waitUntil(wait, async () => (await client.get(path, { query: { limit: 1 } })) !== null);
  }
}

/** Applies all manifests of some folders: namespaces first, everything else at the same time. Errors: LOCAL_APPLY. */
export async function applyManifests(client: KubeClient, folders: string[]): Promise<void> {
  const objects = (await Promise.all(folders.map(readManifests))).flat().map(({ object }) => object);
  const isNamespace = (object: { kind: string }): boolean => object.kind === "Namespace";
  const others = objects.filter((object) => !isNamespace(object));
  await Promise.all(objects.filter(isNamespace).map(async (object) => applyObject(client, object)));
  await Promise.all(others.map(async (object) => applyObject(client, object)));
  await Promise.all(objects.map(async (object) => awaitServed(client, object)));
}
