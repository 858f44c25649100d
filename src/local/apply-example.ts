import type { Api } from "./connect-api.ts";
import type { Example } from "./example-types.ts";
import type { Composition } from "./outcome-of.ts";
import { collectionPath } from "./resource-path.ts";

export type Applied = { path: string; object: Composition } | { status: number; message: string };

/** Creates an example's object as `kubectl create` would; one of that name that exists already is taken as it is. */
export async function applyExample(api: Api, { object }: Example): Promise<Applied> {
  const collection = await collectionPath(api, object);
  const path = `${collection}/${object.metadata.name ?? ""}`;
  const created = await api.request(`${collection}?fieldManager=landfall-local`, { method: "POST", body: object });
  const answer = created.status === 409 ? await api.request(path) : created;
  if (answer.status < 300) return { path, object: answer.body as unknown as Composition };
  return { status: answer.status, message: String(answer.body["message"]) };
}
