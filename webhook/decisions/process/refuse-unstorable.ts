import type { AdmissionRequest } from "../../../src/admission/types.ts";
import { LandfallError } from "../../../src/errors.ts";
import type { ClusterData } from "../../../src/external-data/cluster-data.ts";

/** A deletion is seen within this time, in ms; clients repeat a creation after a second. */
const SEEN_MS = 900;
/** A name that was not asked for again for so long is forgotten, in ms. */
const FORGOTTEN_MS = 30_000;

/** Says how many ms ago a creation was first refused for this name; 0 for the first one. */
type RefusedFor = (key: string) => number;

function rememberNames(nowMs: () => number): RefusedFor {
  /** In the order of their first refusal. */
  const first = new Map<string, number>();
  return (key) => {
    const now = nowMs();
    for (const [other, at] of first) {
      if (now - at <= FORGOTTEN_MS) break;
      first.delete(other);
    }
    const at = first.get(key) ?? now;
    if (!first.has(key)) first.set(key, at);
    return now - at;
  };
}

export type RefuseUnstorable = (key: string, request: AdmissionRequest) => LandfallError | null;

/**
 * Why the API server will not store what a request asks for, as far as that is known: nothing may be reserved for it. The API server looks for
 * the name only when it stores a new object. A creation under the name of a stored object gets ADM_NAME_EXISTS, to be repeated, as its deletion may
 * not be seen yet; a second later, it gets ADM_EXISTS, which the API server would answer too. ADM_CONFLICT for an update of another version than
 * the stored one: the API server compares them after the mutating webhooks, and each update of these kinds has to name one. Null for a request
 * that may be stored.
 */
export function refuseUnstorable(
  { isStored }: Pick<ClusterData, "isStored">,
  nowMs = () => performance.now(),
): RefuseUnstorable {
  const refusedFor = rememberNames(nowMs);
  return (key, { operation, kind, object, oldObject }) => {
    const { name = "", namespace = "default", resourceVersion } = object.metadata;
    const stored = oldObject?.metadata.resourceVersion;
    if (stored !== undefined && resourceVersion !== stored) return new LandfallError("ADM_CONFLICT", { kind, name });
    if (operation !== "CREATE" || !isStored(key)) return null;
    return new LandfallError(refusedFor(key) < SEEN_MS ? "ADM_NAME_EXISTS" : "ADM_EXISTS", { kind, name, namespace });
  };
}
