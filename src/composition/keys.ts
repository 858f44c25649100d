import type { Resource } from "./types.ts";

export { COMPOSITION_FINALIZER as FINALIZER, COMPOSITION_LABEL as LABEL } from "../model/names.ts";

/** On the CRD of a kind that has objects: a ValidatingAdmissionPolicy refuses its deletion. */
export const IN_USE_LABEL = "landfall.dev/in-use";

const GRACEFULLY_PAUSED = "krateo.io/gracefully-paused";

/** Whether an object's release is to stay as it is, while its status is still told. */
export const isGracefullyPaused = ({ metadata }: Pick<Resource, "metadata">): boolean =>
  metadata.annotations?.[GRACEFULLY_PAUSED] === "true";

/** Labels that the controller puts on helm's release Secrets: the inputs of a revision. */
export const RELEASE_LABEL = {
  /** The uid of the composition that it was installed for. */
  composition: "landfall.dev/composition",
  /** SHA-256 (16 hex) of values and chart. */
  inputs: "landfall.dev/inputs",
  /** The same of the awaited values that were available; `none` if none were. */
  awaited: "landfall.dev/awaited",
  /** `provider.region` */
  place: "landfall.dev/place",
  /** Millionths of vCPU, of GiB and of USD per hour, with `-` between them: what the revision takes of quotas and budgets. */
  size: "landfall.dev/size",
} as const;
