import type { AdmissionRequest } from "../../../src/admission/types.ts";
import { LandfallError } from "../../../src/errors.ts";
import type { ClusterData } from "../../../src/external-data/cluster-data.ts";

/**
 * Why the API server will not store what a request asks for, as far as that is known: nothing may be reserved for it. ADM_NAME_EXISTS for a
 * creation under the name of a stored object, also one that is being deleted. The API server looks for the name only when it stores the new
 * object. If the webhook has not seen a deletion yet, the request passes when it is repeated. Null for a request that may be stored.
 */
export function refuseUnstorable(
  { isStored }: Pick<ClusterData, "isStored">,
  key: string,
  { operation, kind, object }: AdmissionRequest,
): LandfallError | null {
  if (operation !== "CREATE" || !isStored(key)) return null;
  const { name = "", namespace = "default" } = object.metadata;
  return new LandfallError("ADM_NAME_EXISTS", { kind, name, namespace });
}
