import { LandfallError } from "../../errors.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import type { Schema } from "./convert-schema.ts";
import { convertSchema } from "./convert-schema.ts";
import { nameKind, versionName } from "./name-kind.ts";
import { statusSchema } from "./status-schema.ts";

export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  priority?: number;
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  additionalPrinterColumns: PrinterColumn[];
  schema: { openAPIV3Schema: Schema };
  subresources: { status: Record<string, never> };
}

export interface Crd extends KubernetesObject {
  apiVersion: "apiextensions.k8s.io/v1";
  kind: "CustomResourceDefinition";
  spec: {
    group: string;
    names: { categories: string[]; kind: string; listKind: string; plural: string; singular: string };
    scope: "Namespaced";
    conversion: { strategy: "None" };
    versions: CrdVersion[];
  };
}

export interface CrdInput {
  /** values.schema.json of the chart. */
  schema: Schema;
  chartName: string;
  chartVersion: string;
  /** Versions of earlier charts whose objects this chart's schema admits unchanged: served too, not stored. */
  alsoServes?: readonly string[];
  /** Columns between NAME and the two that Krateo gives (AGE, READY), which then come last. */
  columns?: PrinterColumn[];
}

const READY: PrinterColumn = {
  name: "READY",
  type: "string",
  jsonPath: ".status.conditions[?(@.type=='Ready')].status",
};
const AGE: PrinterColumn = { name: "AGE", type: "date", jsonPath: ".metadata.creationTimestamp" };

const identity: Schema = {
  apiVersion: { type: "string", description: "Version of the schema that this object is written in." },
  kind: { type: "string", description: "Kind of this object, in CamelCase." },
  metadata: { type: "object" },
};

/** Characters of a CRD with all of its versions: the API server stores 1.5 MiB. The largest of this project has 14,000. */
const MOST = 1024 * 1024;

function assertSize(characters: number, chart: string): void {
  if (characters <= MOST) return;
  const detail = `its CRD would have ${String(characters)} characters; at most ${String(MOST)} are allowed`;
  throw new LandfallError("REL_CHART_SCHEMA", { chart, detail });
}

/**
 * The CRD that serves a chart's values as a composition. Without `columns` and `alsoServes`, it is Krateo's. Throws
 * REL_CHART_SCHEMA if the chart's schema cannot become a CRD, or one that is too large.
 */
export function generateCrd(input: CrdInput): Crd {
  const names = nameKind(input.chartName);
  const spec = convertSchema(input.schema, input.chartName);
  // The schema's own description describes the chart and stays; a default of all values would be unexpected.
  delete spec["default"];
  const version: CrdVersion = {
    name: versionName(input.chartVersion),
    served: true,
    storage: true,
    additionalPrinterColumns: input.columns ? [...input.columns, READY, AGE] : [AGE, READY],
    schema: {
      openAPIV3Schema: { type: "object", properties: { ...identity, spec, status: statusSchema(input.schema) } },
    },
    subresources: { status: {} },
  };
  const { alsoServes = [] } = input;
  assertSize(JSON.stringify(version).length * (1 + alsoServes.length), input.chartName);
  const earlier = alsoServes.map((name) => ({ ...version, name: versionName(name), storage: false }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${COMPOSITION_GROUP}` },
    spec: {
      group: COMPOSITION_GROUP,
      names: { categories: ["compositions", "comps"], ...names },
      scope: "Namespaced",
      conversion: { strategy: "None" },
      versions: [version, ...earlier],
    },
  };
}
