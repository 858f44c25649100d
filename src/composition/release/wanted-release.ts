import type { ServedChart } from "../types.ts";
import { buildValues, shortDigest } from "./build-values.ts";
import type { Composition, CompositionContext } from "../context.ts";
import { LABEL } from "../keys.ts";

export interface EnsureInput {
  context: CompositionContext;
  composition: Composition;
  served: ServedChart;
}

/** The release of a composition as it is to be. */
export interface Wanted extends EnsureInput {
  /** Release name. */
  name: string;
  namespace: string;
  /** The composition's. */
  uid: string;
  values: Record<string, unknown>;
  /** Digest over values and chart. */
  inputs: string;
}

/** What the composition says its release is to be; its label is taken at its word. */
export function wantedRelease(input: EnsureInput): Wanted {
  const { context, composition, served } = input;
  const { object } = composition;
  const values = buildValues({ composition: object, served, krateoNamespace: context.krateoNamespace });
  const inputs = shortDigest([values, served.chart.digest, served.chart.version]);
  const { labels = {}, namespace = "", uid = "" } = object.metadata;
  return { ...input, name: labels[LABEL.releaseName] ?? "", namespace, uid, values, inputs };
}
