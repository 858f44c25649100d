import type { ServedChart } from "../types.ts";
import { buildValues, shortDigest } from "./build-values.ts";
import type { Composition, CompositionContext } from "../context.ts";
import { LABEL } from "../keys.ts";

export interface EnsureInput {
  context: CompositionContext;
  composition: Composition;
  served: ServedChart;
}

/** The desired release of a composition. */
export interface Wanted extends EnsureInput {
  /** Release name. */
  name: string;
  namespace: string;
  /** The composition's. */
  uid: string;
  values: Record<string, unknown>;
  /** Digest of values and chart. */
  inputs: string;
}

/** The desired release of the composition, with the name in its label. */
export function wantedRelease(input: EnsureInput): Wanted {
  const { context, composition, served } = input;
  const { object } = composition;
  const values = buildValues({ composition: object, served, krateoNamespace: context.krateoNamespace });
  const inputs = shortDigest([values, served.chart.digest, served.chart.version]);
  const { labels = {}, namespace = "", uid = "" } = object.metadata;
  return { ...input, name: labels[LABEL.releaseName] ?? "", namespace, uid, values, inputs };
}
