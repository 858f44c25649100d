import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { ANNOTATION } from "../names.ts";
import { type CompactDecision, readDecision } from "./compact-decision.ts";
import type { WorkloadObject } from "../workload.ts";

/** On creation with `generateName`, only the prefix of the name is known. */
const nameOf = ({ metadata }: WorkloadObject): string => metadata.name ?? metadata.generateName ?? "";

function sign(key: KeyObject, { kind, metadata }: WorkloadObject, name: string, compact: string): string {
  const bound = [kind, metadata.namespace ?? "default", name, compact].join("\n");
  return createHmac("sha256", key).update(bound).digest("base64url").slice(0, 22);
}

/** The signature (HMAC-SHA-256, 22 characters) that binds a decision to an object's kind, namespace and name. */
export const signDecision = (key: KeyObject, object: WorkloadObject, compact: string): string =>
  sign(key, object, nameOf(object), compact);

/** The signatures that are valid for an object: one with a generated name was signed before it had that name. */
function signaturesOf(key: KeyObject, object: WorkloadObject, compact: string): string[] {
  const { generateName } = object.metadata;
  const isGenerated = generateName !== undefined && nameOf(object).startsWith(generateName);
  const names = isGenerated ? [nameOf(object), generateName] : [nameOf(object)];
  return names.map((name) => sign(key, object, name, compact));
}

function isSame(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The decision on the object if its signature is valid; null if there is no decision or no valid signature. */
export function verifiedDecision(key: KeyObject, object: WorkloadObject): CompactDecision | null {
  const annotations = object.metadata.annotations ?? {};
  const compact = annotations[ANNOTATION.decision];
  const actual = annotations[ANNOTATION.seal];
  if (compact === undefined || actual === undefined) return null;
  return signaturesOf(key, object, compact).some((expected) => isSame(expected, actual)) ? readDecision(object) : null;
}
