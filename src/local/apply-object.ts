import { LandfallError } from "../errors.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import type { Api } from "./connect-api.ts";
import { collectionPath } from "./resource-path.ts";

/** Server-side apply, as field manager `landfall-local`. Errors: LOCAL_APPLY. */
export async function applyObject(api: Api, object: KubernetesObject): Promise<void> {
  const name = object.metadata.name ?? "";
  const path = `${await collectionPath(api, object)}/${name}?fieldManager=landfall-local&force=true`;
  const answer = await api.request(path, {
    method: "PATCH",
    body: object,
    contentType: "application/apply-patch+yaml",
  });
  if (answer.status < 300) return;
  throw new LandfallError("LOCAL_APPLY", { object: `${object.kind} ${name}`, detail: String(answer.body["message"]) });
}
