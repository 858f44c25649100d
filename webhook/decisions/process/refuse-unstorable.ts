import type { AdmissionRequest } from "../../../src/admission/types.ts";
import { LandfallError } from "../../../src/errors.ts";
import type { ClusterData } from "../../../src/external-data/cluster-data.ts";

/**
 * Why the API server will not store what a request asks for, as far as that is known: nothing may be reserved for it. ADM_NAME_EXISTS for a
 * creation under the name of a stored object, also one that is being deleted. The API server looks for the name only when it stores the new
 * object. If the webhook has not seen a deletion yet, the request passes when it is repeated. ADM_CONFLICT for an update of another version than
 * the stored one: the API server compares them after the mutating webhooks, and each update of these kinds has to name one. Null for a request
 * that may be stored.
 */
export function refuseUnstorable(
  { isStored }: Pick<ClusterData, "isStored">,
  key: string,
  { operation, kind, object, oldObject }: AdmissionRequest,
): LandfallError | null {
  const { name = "", namespace = "default", resourceVersion } = object.metadata;
  const stored = oldObject?.metadata.resourceVersion;
  if (stored !== undefined && resourceVersion !== stored) return new LandfallError("ADM_CONFLICT", { kind, name });
  if (operation !== "CREATE" || !isStored(key)) return null;
  return new LandfallError("ADM_NAME_EXISTS", { kind, name, namespace });
}
