import { createHash, createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { ANNOTATION } from "../names.ts";
import { type CompactDecision, readDecision } from "./compact-decision.ts";
import type { KeyRing } from "./key-ring.ts";
import { formatSeal, type LegacySeal, parseSeal, type Seal, type SealClaim } from "./seal.ts";
import { specDigest } from "./signed-spec.ts";
import type { KubernetesObject } from "../kubernetes.ts";

type Signed = Pick<KubernetesObject, "kind" | "metadata">;

const DIGEST = "sha256";

interface Bound {
  object: Signed;
  /** The name, or the prefix of a generated one. */
  name: string;
  compact: string;
}

function macOf(key: KeyObject, { object, name, compact }: Bound, seal: Omit<Seal, "mac">): string {
  const { kind, metadata } = object;
  const { use, keyId, at, id, spec } = seal;
  const form = spec === null ? ["landfall decision 2"] : ["landfall decision 3", spec];
  const parts = [...form, use, keyId, at, id, kind, metadata.namespace ?? "default", name, compact];
  return createHmac(DIGEST, key).update(JSON.stringify(parts)).digest("base64url");
}

/** On creation with `generateName`, only the prefix of the name is known. */
const boundName = ({ name = "", generateName = "" }: Signed["metadata"]): string =>
  name === "" ? `generateName:${generateName}` : `name:${name}`;

/** The names that an object can have been signed with: one with a generated name was signed before it had that name. */
function boundNames({ name = "", generateName = "" }: Signed["metadata"]): string[] {
  const isGenerated = name !== "" && generateName !== "" && name.startsWith(generateName);
  return [boundName({ name, generateName }), ...(isGenerated ? [boundName({ generateName })] : [])];
}

/** The text that binds a decision to an object's kind, namespace, name and spec, and to what `claim` says. */
export function signDecision(
  [{ id: keyId, key }]: KeyRing,
  object: Signed & { spec?: Record<string, unknown> },
  compact: string,
  { use, at, id }: SealClaim,
): string {
  const seal = { use, at, id, keyId, spec: specDigest(object.spec) };
  return formatSeal({ ...seal, mac: macOf(key, { object, name: boundName(object.metadata), compact }, seal) });
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
function isLegacyOf(key: KeyObject, { kind, metadata }: Signed, compact: string, { mac }: LegacySeal): boolean {
  const { name = "", generateName = "", namespace = "default" } = metadata;
  const isGenerated = generateName !== "" && (name === "" || name.startsWith(generateName));
  const names = [name || generateName, ...(isGenerated ? [generateName] : [])];
  return names.some((bound) => {
    const text = [kind, namespace, bound, compact].join("\n");
    return isSame(createHmac(DIGEST, key).update(text).digest("base64url").slice(0, 22), mac);
  });
}

function isOf(ring: KeyRing, object: Signed, compact: string, seal: Seal | LegacySeal): boolean {
  if (seal.use === "legacy") return ring.some(({ key }) => isLegacyOf(key, object, compact, seal));
  const found = ring.find(({ id }) => id === seal.keyId);
  if (found === undefined) return false;
  return boundNames(object.metadata).some((name) =>
    isSame(macOf(found.key, { object, name, compact }, seal), seal.mac),
  );
}

/** A decision with a valid signature. */
export interface VerifiedDecision {
  decision: CompactDecision;
  seal: SealClaim | { use: "legacy"; id: string };
  /** SHA-256 of the spec that was signed; null in the forms that do not cover it. */
  spec: string | null;
}

/** One signature of an earlier version is one decision: what tells it from others. */
const legacyId = (compact: string, { mac }: LegacySeal): string =>
  createHash(DIGEST).update(`${mac}\n${compact}`).digest("hex").slice(0, 32);

/**
 * The decision on the object if its signature is valid for the object's kind, namespace and name; null if not. Whether it was
 * made for this very object says `standingOf`.
 */
export function verifyDecision(ring: KeyRing, object: Signed): VerifiedDecision | null {
  const { [ANNOTATION.decision]: compact, [ANNOTATION.seal]: text } = object.metadata.annotations ?? {};
  if (compact === undefined || text === undefined) return null;
  const seal = parseSeal(text);
  if (seal === null || !isOf(ring, object, compact, seal)) return null;
  const decision = readDecision(object);
  if (decision === null) return null;
  if (seal.use === "legacy") return { decision, seal: { use: "legacy", id: legacyId(compact, seal) }, spec: null };
  return { decision, seal, spec: seal.spec };
}

/** The decision of `verifyDecision` alone. */
export const verifiedDecision = (ring: KeyRing, object: Signed): CompactDecision | null =>
  verifyDecision(ring, object)?.decision ?? null;

/** What tells the decision on an object from others, no matter who signed it: a nonce or a uid; null if there is none. */
export function readSealId({ metadata }: Pick<KubernetesObject, "metadata">): string | null {
  const { [ANNOTATION.decision]: compact, [ANNOTATION.seal]: text } = metadata.annotations ?? {};
  const seal = text === undefined || compact === undefined ? null : parseSeal(text);
  if (seal === null || compact === undefined) return null;
  return seal.use === "legacy" ? legacyId(compact, seal) : seal.id;
}
