import { valuesIn } from "../helm/stored-release.ts";
import { ownerIn, type ReleaseOwner } from "../record/release-owner.ts";
import type { Resource, ServedChart } from "../types.ts";
import { buildValues, type RunValues, shortDigest } from "./build-values.ts";
import type { CompositionContext, TrustedComposition } from "../context/composition-context.ts";
import { LABEL } from "../keys.ts";

export interface EnsureInput {
  context: CompositionContext;
  composition: TrustedComposition;
  served: ServedChart;
  /** The values about its run that its chart gets. */
  runValues?: RunValues;
  /** Its spec is that of the deployed revision, whose machine is only stopped. */
  asInstalled?: true;
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

/**
 * The id in the names of a recorded release's resources at the provider; null for none. An object that was restored from a backup,
 * or that takes over an orphaned release, has another uid: with it, every resource would get another name. Only the record is asked,
 * since its namespace's users can write the copy.
 */
async function recordedId({ context, composition: { object } }: EnsureInput, release: string): Promise<string | null> {
  const { namespace = "", uid = "" } = object.metadata;
  const known = context.releases.get(uid);
  if (known !== undefined && known.name === release) return known.id;
  const [newest] = (await context.records.read(namespace, release))?.revisions ?? [];
  const owner = newest === undefined ? null : ownerIn(valuesIn(newest.release));
  return owner !== null && isSame(owner, object) ? owner.uid : null;
}

const isSame = ({ kind, namespace, name }: ReleaseOwner, object: Resource): boolean =>
  kind === object.kind && namespace === object.metadata.namespace && name === object.metadata.name;

/** The desired release of the composition, with the name in its label. */
export async function wantedRelease(input: EnsureInput): Promise<Wanted> {
  const { context, composition, served } = input;
  const { object } = composition;
  const id = await recordedId(input, object.metadata.labels?.[LABEL.releaseName] ?? "");
  const { krateoNamespace } = context;
  const values = buildValues({ composition: object, served, krateoNamespace, id, runValues: input.runValues ?? {} });
  const inputs = shortDigest([values, served.chart.digest, served.chart.version]);
  const { labels = {}, namespace = "", uid = "" } = object.metadata;
  return { ...input, name: labels[LABEL.releaseName] ?? "", namespace, uid, values, inputs };
}
