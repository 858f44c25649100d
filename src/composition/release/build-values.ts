import { canonicalJson } from "../../model/json.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Resource, ServedChart } from "../types.ts";
import { KRATEO_ANNOTATION } from "../keys.ts";

export interface ValuesInput {
  composition: Resource;
  served: Pick<ServedChart, "kind" | "plural" | "version">;
  /** The namespace where Krateo is or would be installed. */
  krateoNamespace: string;
}

/** The values of the release: `spec`, and under `global` the ten values that Krateo passes (all strings). */
export function buildValues({ composition, served, krateoNamespace }: ValuesInput): Record<string, unknown> {
  const { name = "", namespace = "", uid = "", annotations = {} } = composition.metadata;
  return {
    ...composition.spec,
    global: {
      compositionApiVersion: `${COMPOSITION_GROUP}/${served.version}`,
      compositionGroup: COMPOSITION_GROUP,
      compositionId: uid,
      compositionInstalledVersion: served.version,
      compositionKind: served.kind,
      compositionName: name,
      compositionNamespace: namespace,
      compositionResource: served.plural,
      gracefullyPaused: annotations[KRATEO_ANNOTATION.gracefullyPaused] === "true" ? "true" : "false",
      krateoNamespace,
    },
  };
}

/** A digest of `value`, 16 hex digits. */
export const shortDigest = (value: unknown): string => sha256(canonicalJson(value)).slice(0, 16);
