import type { ApiPath } from "../cluster/api-path.ts";
import type { Resource } from "../model/kubernetes.ts";

export type { Resource } from "../model/kubernetes.ts";

/** An entry of `status.managed`, in Krateo's shape. `resource` is the plural name. */
export interface ManagedEntry {
  apiVersion: string;
  name: string;
  namespace: string;
  path: ApiPath;
  resource: string;
}

/** `spec.chart` of a CompositionDefinition. */
export interface ChartReference {
  url: string;
  version?: string;
  repo?: string;
  insecureSkipVerifyTLS?: boolean;
  credentials?: { username: string; passwordRef: { namespace: string; name: string; key: string } };
}

export interface CompositionDefinition extends Resource {
  spec: { chart?: ChartReference };
}

/** A chart on this machine's disk, its schema read. */
export interface Chart {
  directory: string;
  name: string;
  version: string;
  /** Versions of earlier charts that this one serves as well: the annotation `landfall.dev/also-serves` of Chart.yaml. */
  alsoServes: string[];
  /** SHA-256 (16 hex) over the chart's files. */
  digest: string;
  schema: Record<string, unknown>;
}

/** A served chart: the chart behind one kind and version of composition.krateo.io. */
export interface ServedChart {
  definition: { name: string; namespace: string };
  chart: Chart;
  url: string;
  kind: string;
  plural: string;
  /** `v0-1-0` */
  version: string;
}

export type { ConditionInput } from "../model/kubernetes.ts";
