import { isObject } from "../../model/json.ts";
import { ANNOTATION, DELETION_POLICY, ORPHAN } from "../../model/names.ts";
import { abilitiesOf } from "../../model/places/operations.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import { table } from "../../model/table.ts";
import { isAnotherRun, runOf } from "../../model/runs/run-of.ts";
import { note } from "../../model/text/note-codes.ts";
import { comparing, nearest } from "../../model/text/nearest.ts";
import { namespaceSettings } from "../../model/wrong-value/namespace-setting.ts";
import { PROVIDERS, type WorkloadObject } from "../../model/workload.ts";
import { warning } from "./denial.ts";

const PREFIX = "landfall.dev/";

/** The annotations that users write on objects. */
const OF_USERS: readonly string[] = [
  ...[ANNOTATION.reevaluate, ANNOTATION.allowMove, ANNOTATION.renamePool, ANNOTATION.startNow, ANNOTATION.hold],
  ...[ANNOTATION.run, ANNOTATION.repair, ANNOTATION.completed],
];

const KNOWN: readonly string[] = Object.values(ANNOTATION);

/** The field of an object that says the same as a setting of namespaces. */
const FIELDS: Readonly<Record<string, string>> = table({
  [`${PREFIX}origin`]: "spec.origin",
  [`${PREFIX}providers`]: "spec.provider",
  [`${PREFIX}regions`]: "spec.provider and spec.schedulingLocation",
  [`${PREFIX}residency`]: "spec.dataResidency",
  [`${PREFIX}max-latency`]: "spec.maxLatency",
  [`${PREFIX}optimize-for`]: "spec.optimizeFor",
  [`${PREFIX}waiting-cost-percent`]: "spec.waitingCostPercent",
  [`${PREFIX}max-wait`]: "spec.maxWait",
  [`${PREFIX}os`]: "spec.os",
  [`${PREFIX}os-disk-gib`]: "spec.osDisk.sizeGiB",
  [`${PREFIX}os-disk-type`]: "spec.osDisk.type",
  [`${PREFIX}when-done`]: "spec.whenDone",
});

/** Names that the keys of one object are compared with: enough for about a hundred keys with our prefix, where no user writes ten. */
const COMPARED = 2000;

/** The edits within which a name of our prefix is meant as one of ours. */
const MOST_EDITS = 3;

/** The annotation that a key stands for: one of ours, misspelt, or with a misspelt prefix. Null for keys of others. */
function meant(key: string): string | null {
  const [prefix = "", name = ""] = key.split("/");
  const isOurs = `${prefix}/` === PREFIX || nearest(prefix, [PREFIX.slice(0, -1)]) !== null;
  return isOurs && name !== "" ? nearest(`${PREFIX}${name}`, OF_USERS, MOST_EDITS) : null;
}

const problem = (field: string, detail: string, correction: string): PolicyWarning =>
  warning("ADM_ANNOTATION", { field, detail, correction });

const entries = (map: Readonly<Record<string, string>> | undefined): [string, string][] => Object.entries(map ?? {});

/** A setting of namespaces, which is only read there; null for other names. */
function ofNamespaces(field: string, key: string): PolicyWarning | null {
  if (!key.startsWith(PREFIX)) return null;
  const setting = namespaceSettings()[key] === undefined ? nearest(key, Object.keys(FIELDS), 1) : key;
  if (setting === null) return null;
  const instead = FIELDS[setting];
  const correction = `annotate the namespace with ${setting}`;
  return problem(
    field,
    "is a setting of namespaces, so it has no effect on an object",
    instead === undefined ? correction : `write ${instead}, or ${correction}`,
  );
}

/** Krateo knows one word here, and deletes at all others. */
function ofPolicy(field: string, value: string): PolicyWarning[] {
  if (value === ORPHAN || value.toLowerCase() === "delete") return [];
  const detail = `${JSON.stringify(value.slice(0, 40))} is not known, so that the resources are deleted with the object`;
  return [problem(field, detail, `write ${DELETION_POLICY}: ${ORPHAN} to keep them, or spec.deletionPolicy: retain`)];
}

/** Annotations that take "true" and "false", with the effect of another value. */
const SWITCHES: Readonly<Record<string, string>> = table({
  [ANNOTATION.allowMove]: "allows nothing",
  [ANNOTATION.paused]: "pauses nothing",
});

function ofAnnotation([key, value]: readonly [string, string]): PolicyWarning[] {
  const field = `metadata.annotations[${key}]`;
  if (key === DELETION_POLICY) return ofPolicy(field, value);
  const setting = KNOWN.includes(key) ? null : ofNamespaces(field, key);
  if (setting !== null) return [setting];
  const without = value === "true" || value === "false" ? undefined : SWITCHES[key];
  if (without !== undefined)
    return [problem(field, `${JSON.stringify(value.slice(0, 40))} ${without}`, `write ${key}: "true"`)];
  const near = KNOWN.includes(key) ? null : meant(key);
  return near === null
    ? []
    : [problem(field, "is not an annotation of Landfall, so it has no effect", `write ${near}`)];
}

function ofLabel([key]: readonly [string, string]): PolicyWarning[] {
  const near = OF_USERS.includes(key) ? key : meant(key);
  if (near === null) return [];
  return [problem(`metadata.labels[${key}]`, "is a label, so it has no effect", `write ${near} as an annotation`)];
}

const numbersIn = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);

/** The value with each number replaced: values of one series, such as `2`, `run-2` or `2026-11-22`, have one form. */
const formOf = (text: string): string => text.replaceAll(/\d+/g, "0");

/** Whether a value is an earlier one of the series of another. */
function isBefore(value: string, other: string): boolean {
  const known = numbersIn(other);
  const [at, one] = [...numbersIn(value).entries()].find(([index, number]) => number !== known[index]) ?? [];
  return formOf(value) === formOf(other) && at !== undefined && one !== undefined && one < (known[at] ?? 0);
}

/** A value of `landfall.dev/run` that goes back, as an older manifest does: it begins another run like any other. */
function ofRun(object: WorkloadObject, before: WorkloadObject): PolicyWarning[] {
  const [asked, known] = [runOf(object), runOf(before)];
  if (!isAnotherRun(asked, known) || !isBefore(asked, known)) return [];
  const message = `${ANNOTATION.run} goes back from ${known} to ${asked}, and begins another run: if an older manifest was applied, omit the annotation in it, or write ${known}`;
  return [note("RUN_EARLIER", message)];
}

/** Another run on a machine that its provider's operator cannot start: nothing else tells whether it is off. */
function ofStart(object: WorkloadObject, before: WorkloadObject): PolicyWarning[] {
  const [asked, known] = [runOf(object), runOf(before)];
  const { provider, whenDone } = isObject(before.spec) ? before.spec : {};
  const place = PROVIDERS.find((one) => one === provider);
  if (!isAnotherRun(asked, known) || before.kind !== "VmTemplate" || place === undefined) return [];
  const { start } = abilitiesOf("VmTemplate", place).operations;
  if (start.can || whenDone === "delete") return [];
  const message = `if its machine is off, run ${asked} does nothing, because ${start.detail}: start the machine at its provider, or create the object again`;
  return [note("RUN_NOT_STARTED", message)];
}

/** Warnings of labels and annotations that a change brings, and that are meant as annotations of Landfall. `before`: null at a creation. */
export function annotationWarnings(object: WorkloadObject, before: WorkloadObject | null): PolicyWarning[] {
  const isNew =
    (kind: "annotations" | "labels") =>
    ([key, value]: readonly [string, string]): boolean =>
      before?.metadata[kind]?.[key] !== value;
  const { annotations, labels } = object.metadata;
  const ofKeys = comparing(COMPARED, () => [
    ...entries(annotations).filter(isNew("annotations")).flatMap(ofAnnotation),
    ...entries(labels).filter(isNew("labels")).flatMap(ofLabel),
  ]);
  return [...ofKeys, ...(before === null ? [] : [...ofRun(object, before), ...ofStart(object, before)])];
}
