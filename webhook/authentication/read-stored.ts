import { apiPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { LandfallError } from "../../src/errors.ts";
import { isObject } from "../../src/model/json.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { COMPOSITION_GROUP, type Kind, PLURAL } from "../../src/model/names.ts";
import { VERSION } from "../review/read-review.ts";

/** Reads an object of `composition.krateo.io`; null if there is none. */
export type ReadStored = (asked: {
  version: string;
  kind: Kind;
  namespace: string;
  name: string;
}) => Promise<Resource | null>;

/** Reads from the API server, at most for `limitMs`. */
export const readStored =
  (client: KubeClient, limitMs: number): ReadStored =>
  ({ version, kind, namespace, name }) =>
    client.get<Resource>(
      apiPath`/apis/${COMPOSITION_GROUP}/${version}/namespaces/${namespace}/${PLURAL[kind]}/${name}`,
      { signal: AbortSignal.timeout(limitMs) },
    );

interface Asked {
  version: string;
  kind: Kind;
  namespace: string;
  name: string;
  uid: string;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The object that an update's review names; null if it is not an update, or is refused anyway. */
function askedOf(request: Record<string, unknown>): Asked | null {
  const { operation, kind: about, oldObject, namespace } = request;
  if (operation !== "UPDATE" || !isObject(about) || !isObject(oldObject)) return null;
  const { group, version, kind } = about;
  const { metadata } = oldObject;
  if (group !== COMPOSITION_GROUP || (kind !== "VmTemplate" && kind !== "KaasCluster") || !isObject(metadata))
    return null;
  const asked = { version: text(version), namespace: text(namespace), name: text(metadata["name"]) };
  return VERSION.test(asked.version) ? { ...asked, kind, uid: text(metadata["uid"]) } : null;
}

function parse(body: string): ({ request: Record<string, unknown> } & Record<string, unknown>) | null {
  try {
    const review: unknown = JSON.parse(body);
    return isObject(review) && isObject(review["request"]) ? { ...review, request: review["request"] } : null;
  } catch {
    return null;
  }
}

async function storedObject({ uid, ...asked }: Asked, read: ReadStored): Promise<Resource> {
  const stored = asked.namespace === "" || asked.name === "" ? null : await read(asked);
  // Its uid is known to those who can read the object: no one else learns anything of it.
  if (uid !== "" && stored?.metadata.uid === uid) return stored;
  const { kind, name } = asked;
  throw new LandfallError("ADM_OLD_OBJECT", { kind, name, detail: "it has another uid, or was deleted" });
}

/**
 * The review of an unauthenticated caller, without what it could have invented: the old object is the stored one, and no user
 * is named. Throws ADM_OLD_OBJECT.
 */
export async function withStored(body: string, read: ReadStored): Promise<string> {
  const review = parse(body);
  if (review === null) return body;
  const { userInfo: _, ...request } = review.request;
  const asked = askedOf(request);
  // An old object that cannot be looked up is none.
  if (asked === null) return JSON.stringify({ ...review, request: { ...request, oldObject: null } });
  return JSON.stringify({ ...review, request: { ...request, oldObject: await storedObject(asked, read) } });
}
