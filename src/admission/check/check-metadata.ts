import type { ObjectMeta } from "../../model/kubernetes.ts";
import { isObject, textOf } from "../../model/json.ts";
import type { Denial } from "../../model/decision.ts";
import { denial } from "./denial.ts";
import type { ErrorCode, ErrorParams } from "../../errors.ts";
import { isUnfilled } from "../../model/wrong-value/placeholder.ts";
import { ANNOTATION, NAMESPACE_NAME } from "../../model/names.ts";
import { COMPLETIONS, RUN_LENGTH, unknownPolicy } from "../../model/runs/run-of.ts";
import type { WorkloadObject } from "../../model/workload.ts";

// The rules of the API server: k8s.io/apimachinery/pkg/util/validation and pkg/api/validation/objectmeta.go. It checks them
// after the mutating webhooks: what it refuses then must not have reserved anything.
const QUALIFIED = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const ANNOTATIONS_BYTES = 262_144;
const SUBDOMAIN_LENGTH = 253;
const SHOWN = 60;

type Problem = [field: string, actual: string, detail: string];

const UNFILLED_DETAIL = "a placeholder was not filled in";
const NAME_DETAIL = "use lower-case letters, digits, - and ., and begin and end with a letter or a digit";
const KEY_DETAIL = "write an optional DNS name and a slash, then at most 63 letters, digits, -, _ and .";
const VALUE_DETAIL = "use at most 63 letters, digits, -, _ and ., and begin and end with a letter or a digit";

const detailOf = (name: string): string => (isUnfilled(name) ? UNFILLED_DETAIL : NAME_DETAIL);

/** Labels of a DNS name, without the limit of 63 characters for each. */
const isSubdomain = (name: string): boolean =>
  name.length <= SUBDOMAIN_LENGTH && name.split(".").every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part));

function isQualified(key: string): boolean {
  const parts = key.split("/");
  const name = parts.pop() ?? "";
  return QUALIFIED.test(name) && (parts.length === 0 || (parts.length === 1 && isSubdomain(parts[0] ?? "")));
}

function nameProblems({ name, generateName, namespace }: ObjectMeta): Problem[] {
  const problems: Problem[] = [];
  if (name !== undefined && !isSubdomain(name)) problems.push(["metadata.name", name, detailOf(name)]);
  // The API server adds letters and digits after it.
  if (name === undefined && generateName !== undefined && !isSubdomain(`${generateName}x`))
    problems.push(["metadata.generateName", generateName, detailOf(generateName)]);
  if (namespace !== undefined && !NAMESPACE_NAME.test(namespace))
    problems.push(["metadata.namespace", namespace, "name a namespace of the cluster"]);
  return problems;
}

const entriesOf = (map: unknown): [string, unknown][] => (isObject(map) ? Object.entries(map) : []);

function labelProblems({ labels }: ObjectMeta): Problem[] {
  return entriesOf(labels).flatMap(([key, value]): Problem[] => {
    if (!isQualified(key)) return [["metadata.labels", key, KEY_DETAIL]];
    const isValue = typeof value === "string" && (value === "" || QUALIFIED.test(value));
    return isValue ? [] : [[`metadata.labels[${key}]`, textOf(value), VALUE_DETAIL]];
  });
}

function annotationProblems({ annotations }: ObjectMeta): Problem[] {
  const entries = entriesOf(annotations);
  const bad = entries.find(([key]) => !isQualified(key.toLowerCase()));
  if (bad !== undefined) return [["metadata.annotations", bad[0], KEY_DETAIL]];
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(textOf(value)),
    0,
  );
  const detail = `all annotations together have at most ${String(ANNOTATIONS_BYTES)} bytes`;
  return bytes > ANNOTATIONS_BYTES ? [["metadata.annotations", `${String(bytes)} bytes`, detail]] : [];
}

const clip = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text);

/** The first thing in an object's metadata that the API server refuses; empty if there is none. */
export function checkMetadata(metadata: ObjectMeta): Denial[] {
  const [first] = [...nameProblems(metadata), ...labelProblems(metadata), ...annotationProblems(metadata)];
  if (first === undefined) return [];
  const [field, actual, detail] = first;
  return [denial("ADM_METADATA", { field: clip(field), actual: clip(actual) }, { detail })];
}

export interface RunFault {
  code: ErrorCode;
  params: ErrorParams & { annotation: string };
}

export const completedOf = ({ metadata }: WorkloadObject): string | undefined =>
  metadata.annotations?.[ANNOTATION.completed];

/** A value of `landfall.dev/run` that is too long to be kept for every object. */
export function longRun({ metadata }: WorkloadObject): RunFault | null {
  const { length } = metadata.annotations?.[ANNOTATION.run] ?? "";
  if (length <= RUN_LENGTH) return null;
  return { code: "ADM_RUN_LONG", params: { annotation: ANNOTATION.run, length, limit: RUN_LENGTH } };
}

/** A word for the repair of machines that a change brings and that means nothing. `oldObject`: null at a creation. */
export function wrongRepair(object: WorkloadObject, oldObject: WorkloadObject | null): RunFault | null {
  const actual = unknownPolicy(object, oldObject)?.slice(0, 40);
  return actual === undefined ? null : { code: "ADM_REPAIR", params: { annotation: ANNOTATION.repair, actual } };
}

export const wrongCompletion = (detail: string): RunFault => ({
  code: "ADM_COMPLETED",
  params: { annotation: ANNOTATION.completed, detail },
});

/** Why this is not how a run ends; null if it is. */
export const unknownCompletion = (completed: string): string | null =>
  COMPLETIONS.some((word) => word === completed) ? null : `has the value ${JSON.stringify(completed.slice(0, 40))}`;

/** A report of a completion on a new object. */
function earlyCompletion(object: WorkloadObject): RunFault | null {
  const completed = completedOf(object);
  if (completed === undefined) return null;
  const early = "was written for another object: the run of this one has not started";
  return wrongCompletion(unknownCompletion(completed) ?? early);
}

/** The problem of the annotations about its run that a new object has; null for none. */
export const creationFault = (object: WorkloadObject): RunFault | null =>
  longRun(object) ?? wrongRepair(object, null) ?? earlyCompletion(object);

/** The same as a denial; empty if there is none. */
export function checkRun(object: WorkloadObject): Denial[] {
  const fault = creationFault(object);
  if (fault === null) return [];
  return [denial(fault.code, { field: `metadata.annotations[${fault.params.annotation}]` }, fault.params)];
}
