import { PART_OF_LANDFALL, ROTATE_CA } from "../../src/model/names.ts";
import { isObject } from "../../src/model/json.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { authoritiesIn } from "./authorities.ts";
import { checkParts } from "./check-certificate.ts";
import type { ServingCertificate } from "./serving-certificate.ts";

/**
 * How far the replacement of a CA is. `made`: the Secret names both; `published`: so do the webhook configurations; `served`: the
 * certificate is of the new CA, and the old CA is still named.
 */
export type RotationStep = "made" | "published" | "served";

export interface Rotation {
  step: RotationStep;
  /** RFC 3339; empty if it is not known. */
  since: string;
  /** Why the CA is replaced. */
  reason: string;
}

/** The Secret that all replicas share. PEM texts. */
export interface StoredCertificate extends ServingCertificate {
  /** The key of the CA in `ca` that signs; empty or another's if someone edited it. */
  caKey: string;
  /** The key of the CA that is to sign next; null before and after. */
  nextKey: string | null;
  /** Null while no CA is replaced. */
  rotation: Rotation | null;
  /** Why a user asks for a new CA; null if none does. */
  requested: string | null;
}

/** Holds the rotation, as JSON. The keys alone tell all but whether it was published. */
const ROTATION = "landfall.dev/ca-rotation";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const textOf = (value: unknown): string => Buffer.from(typeof value === "string" ? value : "", "base64").toString();

function recordIn(text: string | undefined): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(text ?? "{}");
    return isObject(record) ? record : {};
  } catch {
    return {};
  }
}

/** The step by what is stored, so that an edited or lost record stops nothing. */
function stepIn(ca: string, nextKey: string | null, recorded: unknown): RotationStep | null {
  if (nextKey !== null) return recorded === "published" ? "published" : "made";
  return authoritiesIn(ca).length > 1 ? "served" : null;
}

/** Reads the Secret, whatever is in it. */
export function partsOf({ data = {}, metadata: { annotations = {} } }: Resource): StoredCertificate {
  const [ca, cert, key] = ["ca.crt", "tls.crt", "tls.key"].map((name) => textOf(data[name])) as [
    string,
    string,
    string,
  ];
  const nextKey = data["next-ca.key"] === undefined ? null : textOf(data["next-ca.key"]);
  const record = recordIn(annotations[ROTATION]);
  const step = stepIn(ca, nextKey, record["step"]);
  const [since, reason] = [record["since"], record["reason"]].map((one) => (typeof one === "string" ? one : ""));
  return {
    ...{ ca, cert, key, nextKey, caKey: textOf(data["ca.key"]) },
    rotation: step === null ? null : { step, since: since ?? "", reason: reason ?? "" },
    requested: annotations[ROTATE_CA] ?? null,
  };
}

/** Reads the Secret. Throws ADM_TLS if its parts do not belong together; `where` names it. */
export function readStored(secret: Resource, where: string): StoredCertificate {
  const stored = partsOf(secret);
  checkParts(stored, where);
  return stored;
}

/** The Secret's new content. What others added to its metadata stays, and so does its type, which the API server lets no one change. */
export function secretOf(
  { ca, cert, key, caKey, nextKey, rotation, requested }: StoredCertificate,
  name: { name: string; namespace: string },
  before: Resource | null,
): Resource {
  const { type = "kubernetes.io/tls", metadata = {} } = before ?? {};
  const { labels = {}, annotations = {}, resourceVersion } = metadata;
  const { [ROTATION]: _, [ROTATE_CA]: __, ...others } = annotations;
  const own = {
    ...(rotation === null ? {} : { [ROTATION]: JSON.stringify(rotation) }),
    ...(requested === null ? {} : { [ROTATE_CA]: requested }),
  };
  return {
    ...{ apiVersion: "v1", kind: "Secret", type },
    metadata: {
      ...name,
      labels: { ...labels, ...PART_OF_LANDFALL },
      annotations: { ...others, ...own },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    data: {
      ...{ "ca.crt": base64(ca), "ca.key": base64(caKey), "tls.crt": base64(cert), "tls.key": base64(key) },
      ...(nextKey === null ? {} : { "next-ca.key": base64(nextKey) }),
    },
  };
}
