import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../json.ts";
import type { KubernetesObject } from "../kubernetes.ts";
import { ANNOTATION } from "../names.ts";
import type { KeyRing } from "./key-ring.ts";
import { specDigest } from "./still-holds.ts";
import { BINDING_SECONDS } from "./standing.ts";

type Seen = KubernetesObject & { spec?: Record<string, unknown> };

const CONFIRMATION = /^v1\.([0-9a-f]{8})\.(\d{1,12})\.([\w-]{43})$/;

/** All that a decision reads of the object, and whose it is. */
function seenOf({ kind, metadata, spec }: Seen): string {
  const { namespace = "default", name = "", uid = "", labels = {}, annotations = {} } = metadata;
  const { [ANNOTATION.confirm]: _, ...others } = annotations;
  return canonicalJson({ kind, namespace, name, uid, labels, annotations: others, spec: specDigest(spec) });
}

function macOf(key: KeyRing[0]["key"], object: Seen, at: number): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["landfall confirmation 1", at, seenOf(object)]))
    .digest();
}

/** Value of `landfall.dev/confirm`: a process with the keys read this object, as it is, from the API server. */
export function confirmationOf([{ id, key }]: KeyRing, object: Seen, nowSeconds: number): string {
  return ["v1", id, String(nowSeconds), macOf(key, object, nowSeconds).toString("base64url")].join(".");
}

/** Whether the object has a valid confirmation that was made for it, as it is, a short time ago. */
export function isConfirmed(ring: KeyRing, object: Seen, nowSeconds: number): boolean {
  const [, keyId, at = "0", mac = ""] =
    CONFIRMATION.exec(object.metadata.annotations?.[ANNOTATION.confirm] ?? "") ?? [];
  const found = ring.find(({ id }) => id === keyId);
  if (found === undefined || object.metadata.uid === undefined) return false;
  if (Math.abs(nowSeconds - Number(at)) > BINDING_SECONDS) return false;
  const [expected, actual] = [macOf(found.key, object, Number(at)), Buffer.from(mac, "base64url")];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
