import { createHash, createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { ANNOTATION } from "../names.ts";
import { type CompactDecision, readDecision } from "./compact-decision.ts";
import type { KeyRing } from "./key-ring.ts";
import { specDigest } from "./still-holds.ts";
import type { KubernetesObject } from "../kubernetes.ts";

// The text of the annotation landfall.dev/seal: what a decision was signed for, and the signature itself.

/**
 * `create`: for a new object, whose uid is not known yet. `uid`: for the object with this uid. `preview`: in a dry run, for no
 * object that is stored. `offer`: for an unauthenticated caller; nothing is installed before a controller had it confirmed.
 */
type SignatureUse = "create" | "uid" | "preview" | "offer";

/** The content of a signature besides the decision. */
export interface SignatureClaim {
  use: SignatureUse;
  /** When it was signed, in seconds since 1970. */
  at: number;
  /** The uid, or a nonce: 32 hex digits. */
  id: string;
}

interface Signature extends SignatureClaim {
  keyId: string;
  /** SHA-256 of the whole spec, 64 hex digits; null in the form v2, which does not cover it. */
  spec: string | null;
  /** HMAC-SHA-256 as base64url. */
  mac: string;
}

/** The form of versions 0.1.0 and 0.2.0: a signature alone. */
interface LegacySignature {
  use: "legacy";
  mac: string;
}

const SIGNATURE =
  /^v(?:2|3)\.(create|uid|preview|offer)\.([0-9a-f]{8})\.(\d{1,12})\.([0-9A-Za-z-]{1,64})\.(?:([0-9a-f]{64})\.)?([\w-]{43})$/;
const LEGACY = /^[\w-]{22}$/;

const formatSignature = ({ use, keyId, at, id, spec, mac }: Signature): string =>
  spec === null
    ? ["v2", use, keyId, String(at), id, mac].join(".")
    : ["v3", use, keyId, String(at), id, spec, mac].join(".");

/** Null for a text that `formatSignature` and earlier versions could not have written. */
export function parseSignature(text: string): Signature | LegacySignature | null {
  if (LEGACY.test(text)) return { use: "legacy", mac: text };
  const [, use, keyId = "", at, id = "", spec, mac = ""] = SIGNATURE.exec(text) ?? [];
  if (use === undefined || text.startsWith("v3") !== (spec !== undefined)) return null;
  return { use: use as SignatureUse, keyId, at: Number(at), id, spec: spec ?? null, mac };
}

type Signed = Pick<KubernetesObject, "kind" | "metadata">;

const DIGEST = "sha256";

interface Bound {
  object: Signed;
  /** The name, or the prefix of a generated one. */
  name: string;
  compact: string;
}

function macOf(key: KeyObject, { object, name, compact }: Bound, signature: Omit<Signature, "mac">): string {
  const { kind, metadata } = object;
  const { use, keyId, at, id, spec } = signature;
  const form = spec === null ? ["landfall decision 2"] : ["landfall decision 3", spec];
  const parts = [...form, use, keyId, at, id, kind, metadata.namespace ?? "default", name, compact];
  return createHmac(DIGEST, key).update(JSON.stringify(parts)).digest("base64url");
}

/**
 * The API server makes a name of at most 58 characters of `generateName` and five others
 * (https://github.com/kubernetes/apiserver/blob/v0.34.1/pkg/storage/names/generate.go).
 */
const [LONGEST_PREFIX, SUFFIX] = [58, 5] as const;

/** The part of a generated name that is known before there is one. */
const prefixOf = (name: string): string => name.slice(0, -SUFFIX);

const asPrefix = (prefix: string): string => `generateName:${prefix}`;

/** On creation with `generateName`, only the prefix of the name is known. */
const boundName = ({ name = "", generateName = "" }: Signed["metadata"]): string =>
  name === "" ? asPrefix(generateName.slice(0, LONGEST_PREFIX)) : `name:${name}`;

/**
 * The names that an object can have been signed with: one with a generated name was signed before it had that name. Only the name
 * says which, since `generateName` of a stored object can be changed.
 */
const boundNames = ({ name = "", generateName = "" }: Signed["metadata"]): string[] =>
  name === "" ? [boundName({ generateName })] : [boundName({ name }), asPrefix(prefixOf(name))];

/** The text that binds a decision to an object's kind, namespace, name and spec, and to what `claim` says. */
export function signDecision(
  [{ id: keyId, key }]: KeyRing,
  object: Signed & { spec?: Record<string, unknown> },
  compact: string,
  { use, at, id }: SignatureClaim,
): string {
  const signature = { use, at, id, keyId, spec: specDigest(object.spec) };
  return formatSignature({
    ...signature,
    mac: macOf(key, { object, name: boundName(object.metadata), compact }, signature),
  });
}

/** A nonce that is the same for the same request: 32 hex digits. */
export const nonceFor = ([{ key }]: KeyRing, request: readonly string[]): string =>
  createHmac(DIGEST, key)
    .update(JSON.stringify(["landfall nonce", ...request]))
    .digest("hex")
    .slice(0, 32);

function isSame(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** As versions 0.1.0 and 0.2.0 signed: the name, or the prefix of a generated one. */
function isLegacyOf(key: KeyObject, { kind, metadata }: Signed, compact: string, { mac }: LegacySignature): boolean {
  const { name = "", generateName = "", namespace = "default" } = metadata;
  const names = name === "" ? [generateName] : [name, prefixOf(name)];
  return names.some((bound) => {
    const text = [kind, namespace, bound, compact].join("\n");
    return isSame(createHmac(DIGEST, key).update(text).digest("base64url").slice(0, 22), mac);
  });
}

function isOf(ring: KeyRing, object: Signed, compact: string, signature: Signature | LegacySignature): boolean {
  if (signature.use === "legacy") return ring.some(({ key }) => isLegacyOf(key, object, compact, signature));
  const found = ring.find(({ id }) => id === signature.keyId);
  if (found === undefined) return false;
  return boundNames(object.metadata).some((name) =>
    isSame(macOf(found.key, { object, name, compact }, signature), signature.mac),
  );
}

/** A decision with a valid signature. */
export interface VerifiedDecision {
  decision: CompactDecision;
  signature: SignatureClaim | { use: "legacy"; id: string };
  /** SHA-256 of the spec that was signed; null in the forms that do not cover it. */
  spec: string | null;
}

/** One signature of an earlier version is one decision: what tells it from others. */
const legacyId = (compact: string, { mac }: LegacySignature): string =>
  createHash(DIGEST).update(`${mac}\n${compact}`).digest("hex").slice(0, 32);

/**
 * The decision on the object if its signature is valid for the object's kind, namespace and name; null if not. Whether it was
 * made for this very object says `standingOf`.
 */
export function verifyDecision(ring: KeyRing, object: Signed): VerifiedDecision | null {
  const { [ANNOTATION.decision]: compact, [ANNOTATION.seal]: text } = object.metadata.annotations ?? {};
  if (compact === undefined || text === undefined) return null;
  const signature = parseSignature(text);
  if (signature === null || !isOf(ring, object, compact, signature)) return null;
  const decision = readDecision(object);
  if (decision === null) return null;
  if (signature.use === "legacy")
    return { decision, signature: { use: "legacy", id: legacyId(compact, signature) }, spec: null };
  return { decision, signature, spec: signature.spec };
}

/** When a decision was signed, in seconds since 1970; 0 for none, and for one of an earlier version, which does not say it. */
export const signedAt = (verified: VerifiedDecision | null): number =>
  verified === null || verified.signature.use === "legacy" ? 0 : verified.signature.at;

/**
 * The time of a signature that replaces the one on `object`: later than that one, also within the same second and if another replica's
 * clock is ahead. So of two decisions for one object, every replica knows the later one, and the earlier one does not come back.
 */
export const signingTime = (ring: KeyRing, object: Signed | null, nowSeconds: number): number =>
  object === null ? nowSeconds : Math.max(nowSeconds, signedAt(verifyDecision(ring, object)) + 1);

/** The decision of `verifyDecision` alone. */
export const verifiedDecision = (ring: KeyRing, object: Signed): CompactDecision | null =>
  verifyDecision(ring, object)?.decision ?? null;

/** The id of the decision on an object, no matter who signed it: a nonce or a uid; null if there is none. */
export function readSignatureId({ metadata }: Pick<KubernetesObject, "metadata">): string | null {
  const { [ANNOTATION.decision]: compact, [ANNOTATION.seal]: text } = metadata.annotations ?? {};
  const signature = text === undefined || compact === undefined ? null : parseSignature(text);
  if (signature === null || compact === undefined) return null;
  return signature.use === "legacy" ? legacyId(compact, signature) : signature.id;
}

/** The id of the key that the object's decision names, if the ring does not have it; null if it does, or if none is named. */
export function lostKeyOf(ring: KeyRing, { metadata }: Pick<KubernetesObject, "metadata">): string | null {
  const signature = parseSignature(metadata.annotations?.[ANNOTATION.seal] ?? "");
  if (signature === null || signature.use === "legacy") return null;
  return ring.some(({ id }) => id === signature.keyId) ? null : signature.keyId;
}

/** Whether the object's decision names a key that the ring has: if its signature is not valid, someone else wrote or changed it. */
export function namesKnownKey(ring: KeyRing, { metadata }: Pick<KubernetesObject, "metadata">): boolean {
  const signature = parseSignature(metadata.annotations?.[ANNOTATION.seal] ?? "");
  return signature !== null && signature.use !== "legacy" && ring.some(({ id }) => id === signature.keyId);
}
