import type { Denial } from "../../model/decision.ts";
import { type SchemaCheck, writtenCheck } from "../../model/schemas/compile-schema.ts";
import { ANNOTATION, COMPOSITION_GROUP, isKind, type Kind, longestName } from "../../model/names.ts";
import { isObject } from "../../model/json.ts";
import { writtenReason } from "../../model/decision-annotation/pause.ts";
import { checkCluster } from "./check-cluster.ts";
import { checkFields } from "./check-fields.ts";
import { checkMetadata } from "./check-metadata.ts";
import { denial } from "./denial.ts";
import { nameOrGenerated } from "./read-request.ts";
import { MAX_DENIALS, overLimits, schemaDenials, SCHEMAS, unfilledDenials } from "./schema-denials.ts";
import { explainErrors } from "../../model/wrong-value/explain-errors.ts";
import type { Found } from "../../model/wrong-value/explain-value.ts";
import { type LikelySpec, likelySpec } from "../../model/wrong-value/corrections/likely-spec.ts";
import { noSizes, type SizeOf } from "../../model/wrong-value/read/pools.ts";
import { dotted } from "../../model/wrong-value/schema-node.ts";
import type { WorkloadObject } from "../../model/workload.ts";

/** Stops at the first error, so that the work is bounded for every object. */
const stopping: Record<Kind, SchemaCheck<unknown>> = {
  VmTemplate: writtenCheck("vm-template"),
  KaasCluster: writtenCheck("kaas-cluster"),
};
/** Reports every error, but sees only objects within the size limits of their schema. */
const reporting: Record<Kind, SchemaCheck<unknown>> = {
  VmTemplate: writtenCheck("vm-template-all-errors"),
  KaasCluster: writtenCheck("kaas-cluster-all-errors"),
};

/** An immediate start is an exception that needs a reason. */
function checkStartReason(object: WorkloadObject): Denial[] {
  if (object.metadata.annotations?.[ANNOTATION.startNow] === undefined || writtenReason(object) !== "") return [];
  const annotation = ANNOTATION.startNow;
  return [denial("ADM_START_REASON", { field: `metadata.annotations[${annotation}]` }, { annotation })];
}

/**
 * Problems of the object itself, independent of the policy; empty if there are none. Never changes the object. `sizeOf`: the machine types for
 * corrections.
 */
export function checkObject(kind: Kind, object: WorkloadObject, sizeOf = noSizes): Denial[] {
  const name = nameOrGenerated(object.metadata);
  const limit = longestName(kind, { ...object, metadata: { ...object.metadata, name } });
  if (name.length > limit)
    return [
      denial(
        "ADM_NAME_TOO_LONG",
        { field: "metadata.name", actual: name, allowed: limit },
        { length: name.length, limit },
      ),
    ];

  const refused = checkMetadata(object.metadata);
  if (refused.length > 0) return refused;
  const spec: unknown = object.spec ?? {};
  if (stopping[kind](spec)) {
    const fields = object.spec ?? {};
    const unfilled = unfilledDenials(SCHEMAS[kind], fields);
    const wrong = [...checkStartReason(object), ...(unfilled.length > 0 ? unfilled : checkFields(fields))];
    if (kind !== "KaasCluster") return wrong;
    const ofCluster = checkCluster(
      fields,
      wrong.flatMap(({ field }) => field ?? []),
    );
    // Of a network that has host bits and another problem, two corrections would contradict each other.
    const isTold = ({ field }: Denial): boolean =>
      field?.startsWith("spec.network.") === true && ofCluster.some((other) => other.field === field);
    return [...wrong.filter((one) => !isTold(one)), ...ofCluster];
  }
  return invalidSpec(kind, spec, sizeOf);
}

/** The denial of a spec that holds no fields at all, such as a text or a list. */
export function checkShape(kind: Kind, { spec }: { spec?: unknown }): Denial[] {
  return spec === undefined || isObject(spec) ? [] : invalidSpec(kind, spec, noSizes);
}

/** More than a message shows: each takes some milliseconds, and what is wrong in the same way in each entry of a list is not read each time. */
const EXPLAINED_ERRORS = 60;

/** The problems of a spec that its schema refuses. The spec is within the limits of sizes. */
function problemsOf(kind: Kind, spec: unknown, sizeOf: SizeOf): Found[] {
  const validate = reporting[kind];
  validate(spec);
  return explainErrors(SCHEMAS[kind], spec, (validate.errors ?? []).slice(0, EXPLAINED_ERRORS), sizeOf);
}

/** The denials of a spec by its schema, and of placeholders that the schema takes. */
function refusals(kind: Kind, spec: unknown, sizeOf: SizeOf): Denial[] {
  const refused = schemaDenials(SCHEMAS[kind], problemsOf(kind, spec, sizeOf));
  const isTold = ({ field }: Denial): boolean =>
    refused.some((one) => field === one.field || /^[.[]/.test(afterField(field ?? "", one.field ?? "")));
  return [...refused, ...unfilledDenials(SCHEMAS[kind], spec).filter((one) => !isTold(one))].slice(0, MAX_DENIALS);
}

const afterField = (field: string, holder: string): string =>
  field.startsWith(holder) ? field.slice(holder.length) : "";

/** The denials of a spec by its schema, all without the corrections of other rules; empty if a part of it is too large to be read. */
export const schemaDenialsOf = (kind: Kind, spec: unknown, sizeOf: SizeOf): Denial[] =>
  overLimits(SCHEMAS[kind], spec) === null ? refusals(kind, spec, sizeOf) : [];

/** The spec after all corrections of what its schema refuses, the uncertain ones as well; null for one that is too large to be read. The decision about it checks it. */
export const correctedSpec = (kind: Kind, spec: unknown, sizeOf: SizeOf): LikelySpec | null =>
  overLimits(SCHEMAS[kind], spec) === null ? likelySpec(SCHEMAS[kind], spec, problemsOf(kind, spec, sizeOf)) : null;

/** The schema's errors of an invalid spec. */
function invalidSpec(kind: Kind, spec: unknown, sizeOf: SizeOf): Denial[] {
  const schema = SCHEMAS[kind];
  const over = overLimits(schema, spec);
  if (over !== null) {
    const { pointer, detail, correction } = over;
    return [denial("ADM_SCHEMA", { field: `spec${dotted(pointer)}` }, { given: "", detail, correction })];
  }
  return refusals(kind, spec, sizeOf);
}

/** Null if `apiVersion` and `kind` are ours, otherwise the problem. */
export function checkKind(apiVersion: string, kind: string): Denial | null {
  const [group] = apiVersion.split("/");
  if (group === COMPOSITION_GROUP && isKind(kind)) return null;
  return denial("ADM_UNKNOWN_KIND", { field: "kind", actual: kind }, { kind: `${apiVersion} ${kind}` });
}
