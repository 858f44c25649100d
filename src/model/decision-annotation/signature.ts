import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { ANNOTATION } from "../names.ts";
import type { CompactDecision } from "./compact-decision.ts";
import { readCompactDecision } from "./compact-decision.ts";
import type { WorkloadObject } from "../workload-object.ts";

/** While an object is created that is to get a name, all that is known of it is how the name begins. */
const nameOf = ({ metadata }: WorkloadObject): string => metadata.name ?? metadata.generateName ?? "";

function seal(key: KeyObject, { kind, metadata }: WorkloadObject, name: string, compact: string): string {
  const bound = [kind, metadata.namespace ?? "default", name, compact].join("\n");
  return createHmac("sha256", key).update(bound).digest("base64url").slice(0, 22);
}

/** Proves that this webhook wrote a decision, for an object of this kind, namespace and name. */
export const sealDecision = (key: KeyObject, object: WorkloadObject, compact: string): string =>
  seal(key, object, nameOf(object), compact);

/** What an object's seal may be: one that was given its name was sealed before it had one. */
function sealsOf(key: KeyObject, object: WorkloadObject, compact: string): string[] {
  const { generateName } = object.metadata;
  const names = generateName === undefined ? [nameOf(object)] : [nameOf(object), generateName];
  return names.map((name) => seal(key, object, name, compact));
}

function isSame(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The decision on the object, if Landfall wrote it; null where there is none or its seal is not ours. */
export function sealedDecision(key: KeyObject, object: WorkloadObject): CompactDecision | null {
  const annotations = object.metadata.annotations ?? {};
  const compact = annotations[ANNOTATION.decision];
  const actual = annotations[ANNOTATION.seal];
  if (compact === undefined || actual === undefined) return null;
  return sealsOf(key, object, compact).some((expected) => isSame(expected, actual))
    ? readCompactDecision(compact)
    : null;
}
