import type { Api } from "./connect-api.ts";
import { applyObject } from "./apply-object.ts";
import { awaitServed } from "./await-served.ts";
import { readManifests } from "./read-manifests.ts";

/** Applies all manifests of some folders: namespaces first, everything else at once. Errors: LOCAL_APPLY. */
export async function applyManifests(api: Api, folders: string[]): Promise<void> {
  const objects = (await Promise.all(folders.map(readManifests))).flat().map(({ object }) => object);
  const isNamespace = (object: { kind: string }): boolean => object.kind === "Namespace";
  await Promise.all(objects.filter(isNamespace).map(async (object) => applyObject(api, object)));
  await Promise.all(objects.filter((object) => !isNamespace(object)).map(async (object) => applyObject(api, object)));
  await Promise.all(objects.map(async (object) => awaitServed(api, object)));
}
