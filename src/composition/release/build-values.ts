import { canonicalJson, isObject } from "../../model/json.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Chart, Resource, ServedChart } from "../types.ts";
import { isGracefullyPaused } from "../keys.ts";

/** The values about a run that a chart gets, under `global`. */
export interface RunValues {
  /**
   * State in which the composition controller keeps a machine: `as-is` starts none that was stopped, and `deleted` renders all but the
   * machine. Omitted: its operator decides.
   */
  powerState?: "on" | "off" | "as-is" | "deleted";
  /** The address and the token with which the machine reports its completion. A secret. */
  report?: { url: string; token: string };
}

export interface ValuesInput {
  composition: Resource;
  served: Pick<ServedChart, "kind" | "plural" | "version"> & { chart?: Pick<Chart, "schema"> };
  /** The namespace where Krateo is or would be installed. */
  krateoNamespace: string;
  /**
   * The id that names at the provider are made of: that of the record, where an object takes over the release of an earlier one of
   * its name. By default the object's uid.
   */
  id?: string | null;
  /** Only of a run of which there is something to say: all other releases keep their values. */
  runValues?: RunValues;
}

/**
 * The values without the fields that a closed schema lacks: an object that another chart serves too may have them, and helm
 * would refuse the release.
 */
function knownValues(values: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return values;
  if (Array.isArray(values)) return values.map((value) => knownValues(value, schema["items"]));
  const properties = schema["properties"];
  if (!isObject(values) || !isObject(properties)) return values;
  const known = Object.entries(values).filter(
    ([name]) => name in properties || schema["additionalProperties"] !== false,
  );
  return Object.fromEntries(known.map(([name, value]) => [name, knownValues(value, properties[name])]));
}

/** The values of the release: `spec`, and under `global` the ten values that Krateo passes (all strings). */
export function buildValues({
  composition,
  served,
  krateoNamespace,
  id = null,
  runValues,
}: ValuesInput): Record<string, unknown> {
  const { name = "", namespace = "", uid = "" } = composition.metadata;
  return {
    ...(knownValues(composition.spec, served.chart?.schema) as Resource["spec"]),
    global: {
      compositionApiVersion: `${COMPOSITION_GROUP}/${served.version}`,
      compositionGroup: COMPOSITION_GROUP,
      compositionId: id ?? uid,
      compositionInstalledVersion: served.version,
      compositionKind: served.kind,
      compositionName: name,
      compositionNamespace: namespace,
      compositionResource: served.plural,
      gracefullyPaused: String(isGracefullyPaused(composition)),
      krateoNamespace,
      ...runValues,
    },
  };
}

/** A digest of `value`, 16 hex digits. */
export const shortDigest = (value: unknown): string => sha256(canonicalJson(value)).slice(0, 16);
