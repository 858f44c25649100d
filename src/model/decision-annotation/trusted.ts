import { ANNOTATION } from "../names.ts";
import type { KubernetesObject } from "../kubernetes.ts";
import type { KeyRing } from "./key-ring.ts";
import { verifyDecision } from "./signature.ts";

declare const TRUSTED: unique symbol;

/**
 * An object whose decision admission signed, or which has none. Everyone who may change an object can write a decision into it while no webhook
 * is called. What reads sizes, prices, times or grams from a decision for Landfall's own records takes only such objects.
 */
export type Trusted<T> = T & { readonly [TRUSTED]: true };

type Decided = Pick<KubernetesObject, "kind" | "metadata">;

/** The object as if it were undecided. */
export function withoutDecision<T extends Decided>(object: T): Trusted<T> {
  const {
    [ANNOTATION.decision]: _decision,
    [ANNOTATION.seal]: _seal,
    ...annotations
  } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } } as unknown as Trusted<T>;
}

/** The object, without its decision unless that has a valid signature. `keys`: null where decisions are not verified. */
export const trusted = <T extends Decided>(keys: (() => KeyRing) | null, object: T): Trusted<T> =>
  keys === null || verifyDecision(keys(), object) !== null
    ? (object as unknown as Trusted<T>)
    : withoutDecision(object);
