import type { PatchOperation } from "../model/decision.ts";
import { canonicalJson, pointerKey } from "../model/json.ts";

/** The desired values; all others stay unchanged. */
export interface Desired {
  spec: Readonly<Record<string, unknown>>;
  /** Null removes the annotation. */
  annotations: Readonly<Record<string, string | null>>;
  labels?: Readonly<Record<string, string>>;
  /** Added if they are missing. */
  finalizers?: readonly string[];
}

interface Patchable {
  metadata: { annotations?: Record<string, string>; labels?: Record<string, string>; finalizers?: string[] };
  spec?: Record<string, unknown>;
}

const equal = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

function setAll(
  base: string,
  current: Record<string, unknown> | undefined,
  desired: Record<string, unknown>,
): PatchOperation[] {
  const operations = Object.keys(desired)
    .sort()
    .flatMap((key): PatchOperation[] => {
      const [value, present] = [desired[key], current?.[key]];
      const path = `${base}/${pointerKey(key)}`;
      if (value === null) return present === undefined ? [] : [{ op: "remove", path }];
      if (present === undefined) return [{ op: "add", path, value }];
      return equal(present, value) ? [] : [{ op: "replace", path, value }];
    });
  // JSONPatch does not create parents.
  return current === undefined && operations.length > 0
    ? [{ op: "add", path: base, value: {} }, ...operations]
    : operations;
}

function addFinalizers(current: readonly string[] | undefined, desired: readonly string[]): PatchOperation[] {
  const missing = desired.filter((finalizer) => current?.includes(finalizer) !== true);
  if (missing.length === 0) return [];
  const path = "/metadata/finalizers";
  if (current === undefined) return [{ op: "add", path, value: missing }];
  return missing.map((value) => ({ op: "add", path: `${path}/-`, value }));
}

/** The RFC 6902 operations that add the missing values of `desired` to `object`; empty if there are none. Pure. */
export function makePatch(object: Patchable, desired: Desired): PatchOperation[] {
  return [
    ...setAll("/metadata/annotations", object.metadata.annotations, desired.annotations),
    ...setAll("/metadata/labels", object.metadata.labels, desired.labels ?? {}),
    ...addFinalizers(object.metadata.finalizers, desired.finalizers ?? []),
    ...setAll("/spec", object.spec, desired.spec),
  ];
}
