import { apiPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { LandfallError } from "../../src/errors.ts";
import { isObject, stringOf } from "../../src/model/json.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { COMPOSITION_GROUP, type Kind, PLURAL } from "../../src/model/names.ts";
import { VERSION } from "../review/read-review.ts";
import { type Part, type ReviewParts, scanReview } from "../review/scan-review.ts";
import { composeReview } from "./compose-review.ts";

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

/** A value of the review: one of a few characters. */
function valueOf(body: string, part: Part | undefined): unknown {
  try {
    return part === undefined ? undefined : JSON.parse(body.slice(part.start, part.end));
  } catch {
    return undefined;
  }
}

/** The object that an update's review names; null if it is not an update, or is refused anyway. */
function askedOf(body: string, { request, oldMetadata }: ReviewParts): Asked | null {
  const [operation, about] = ["operation", "kind"].map((name) => valueOf(body, request.get(name)));
  if (operation !== "UPDATE" || !isObject(about) || !request.has("oldObject")) return null;
  const { group, version, kind } = about;
  if (group !== COMPOSITION_GROUP || (kind !== "VmTemplate" && kind !== "KaasCluster")) return null;
  const [name, uid] = ["name", "uid"].map((key) => stringOf(valueOf(body, oldMetadata.get(key))));
  const asked = {
    version: stringOf(version),
    namespace: stringOf(valueOf(body, request.get("namespace"))),
    name: name ?? "",
  };
  return VERSION.test(asked.version) ? { ...asked, kind, uid: uid ?? "" } : null;
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
 * is named. Only small values of it are parsed here. Throws ADM_OLD_OBJECT.
 */
export async function withStored(body: string, read: ReadStored, scan = scanReview(body)): Promise<string> {
  const asked = askedOf(body, scan.parts);
  // An old object that cannot be looked up is none.
  return composeReview(body, scan, asked === null ? "null" : JSON.stringify(await storedObject(asked, read)));
}
