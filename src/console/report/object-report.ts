import { stringify } from "yaml";
import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { KUBERNETES_YAML } from "../../model/formats/kubernetes-yaml.ts";
import { isObject, stringOf } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { ObjectReport } from "../contract/object.ts";
import type { Judgement } from "../objects/read-verdicts.ts";
import { judgedRow, rowOf } from "../objects/row-of.ts";
import { toldConditions } from "../objects/told-conditions.ts";
import { decidedPart } from "./decided-part.ts";
import { lifeOf } from "./life-of.ts";

type Given = Record<string, unknown>;

const objects = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The object as YAML, without the field that records who wrote what: it is longer than all others. */
function yamlOf(object: Resource): string {
  const { managedFields: _, ...metadata } = object.metadata as Resource["metadata"] & { managedFields?: unknown };
  return stringify({ ...object, metadata }, { ...KUBERNETES_YAML, lineWidth: 0 });
}

/** An object with all that admission wrote and the controllers report. Pure. */
export function objectReport(
  object: Resource,
  {
    verdict,
    signature,
    nowSeconds,
  }: { verdict: Judgement | null; nowSeconds: number } & Pick<ObjectReport, "signature">,
): ObjectReport {
  const decision = readDecision(object);
  const row = judgedRow(rowOf(object), verdict);
  return {
    row,
    ...decidedPart(object),
    signature,
    conditions: toldConditions(object).map(({ lastTransitionTime: since, ...told }) => ({ ...told, since })),
    life: lifeOf(object, row, decision, nowSeconds),
    managed: objects(object.status?.["managed"]).map(({ apiVersion, resource, name, namespace }) => ({
      ...{
        apiVersion: stringOf(apiVersion),
        resource: stringOf(resource),
        name: stringOf(name),
        namespace: stringOf(namespace),
      },
    })),
    yaml: yamlOf(object),
  };
}
