import type { Labels } from "../api/types.ts";
import type { ElementoObject, KaasSpec, VmSpec } from "../types.ts";

/** The user's tags and the owner, for people who look at Elemento. The operator itself uses names. */
export const machineLabels = ({ spec, metadata }: ElementoObject<VmSpec | KaasSpec>): Labels => ({
  ...spec.tags,
  "landfall.dev/uid": metadata.uid ?? "",
  "landfall.dev/namespace": metadata.namespace ?? "",
  "landfall.dev/name": metadata.name ?? "",
});
