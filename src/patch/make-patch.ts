import type { PatchOperation } from "../model/decision.ts";
import { canonicalJson } from "../model/json.ts";

/** The desired values; all others stay unchanged. */
export interface Desired {
  spec: Readonly<Record<string, unknown>>;
  /** Null removes the annotation. */
  annotations: Readonly<Record<string, string | null>>;
}

interface Patchable {
  metadata: { annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
}

const escape = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
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
      const path = `${base}/${escape(key)}`;
      if (value === null) return present === undefined ? [] : [{ op: "remove", path }];
      if (present === undefined) return [{ op: "add", path, value }];
      return equal(present, value) ? [] : [{ op: "replace", path, value }];
    });
  // JSONPatch does not create parents.
  return current === undefined && operations.length > 0
    ? [{ op: "add", path: base, value: {} }, ...operations]
    : operations;
}

/** The RFC 6902 operations that add the missing values of `desired` to `object`; empty if there are none. Pure. */
export function makePatch(object: Patchable, desired: Desired): PatchOperation[] {
  return [
    ...setAll("/metadata/annotations", object.metadata.annotations, desired.annotations),
    ...setAll("/spec", object.spec, desired.spec),
  ];
}
