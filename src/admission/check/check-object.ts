import type { ErrorObject } from "ajv";
import kaasClusterSchema from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplateSchema from "../../../schemas/vm-template.schema.json" with { type: "json" };
import type { Denial } from "../../model/decision.ts";
import type { SchemaCheck } from "../../model/compile-schema.ts";
import { writtenCheck } from "../../model/written-check.ts";
import { isObject } from "../../model/json.ts";
import { ANNOTATION, COMPOSITION_GROUP, isKind, type Kind, NAME_LIMIT } from "../../model/names.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import { checkCluster } from "./check-cluster.ts";
import { checkFields } from "./check-fields.ts";
import { checkMetadata } from "./check-metadata.ts";
import { denial } from "./denial.ts";
import { overLimits, type SizedSchema } from "./over-limits.ts";
import type { WorkloadObject } from "../../model/workload.ts";

/** More denials would hide the first ones. */
const MAX_DENIALS = 5;

const SCHEMAS: Record<Kind, SizedSchema> = { VmTemplate: vmTemplateSchema, KaasCluster: kaasClusterSchema };
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

const dotted = (pointer: string): string =>
  `spec${pointer
    .replace(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")}`;

function valueAt(spec: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (value, key) => (Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined),
      spec,
    );
}

/** A value for a message: scalars as they are, never an object or a long text. */
function shown(value: unknown): string | number | null {
  if (typeof value === "number") return value;
  if (typeof value === "string") return value.length > 60 ? `${value.slice(0, 57)}...` : value;
  return typeof value === "boolean" ? String(value) : null;
}

/** YAML reads an unquoted NO as a boolean and 1.30 as a number, so the value may differ from what the user wrote. */
function quotesFor(error: ErrorObject, value: unknown): string {
  const { type } = error.params as { type?: string | string[] };
  if (error.keyword !== "type" || ![type].flat().includes("string")) return "";
  if (typeof value === "boolean")
    return '; put it in quotes ("NO"): YAML takes a bare NO, off or n for false, YES, on or y for true';
  return typeof value === "number" ? "; put it in quotes, as it is meant" : "";
}

function detail(error: ErrorObject, value: unknown): string {
  const params = error.params as Record<string, unknown>;
  const message = `${error.message ?? error.keyword}${quotesFor(error, value)}`;
  // For an invalid key of a map, the pointer names only the map.
  if (error.propertyName !== undefined) return `the key ${JSON.stringify(error.propertyName)} ${message}`;
  switch (error.keyword) {
    case "additionalProperties":
      return "unknown field";
    case "enum":
      return `has to be one of ${(params["allowedValues"] as string[]).join(", ")}`;
    case "required":
      return "is missing";
    default:
      return message;
  }
}

/** The pointer of an error: for a missing or unknown field, the field itself and not its parent. */
function pointerOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as Record<string, unknown>;
  const name = missingProperty ?? additionalProperty;
  return typeof name === "string" ? `${instancePath}/${name}` : instancePath;
}

const DURATIONS = [
  "/duration",
  "/maxWait",
  "/maxLifetime",
  "/keepFailed",
  "/interruptible/minRun",
  "/interruptible/resumeCost",
];

function schemaDenial(spec: unknown, error: ErrorObject): Denial {
  const pointer = pointerOf(error);
  const field = dotted(pointer);
  const actual = shown(valueAt(spec, pointer));
  if (DURATIONS.includes(pointer) && error.keyword === "pattern") return denial("ADM_DURATION", { field, actual });
  if (error.keyword === "format") return denial("ADM_TIME", { field, actual });
  return denial("ADM_SCHEMA", { field, actual }, { detail: detail(error, valueAt(spec, pointer)) });
}

/** An immediate start is an exception that needs a reason. */
function checkStartReason(object: WorkloadObject): Denial[] {
  if (object.metadata.annotations?.[ANNOTATION.startNow] === undefined || startReason(object) !== null) return [];
  const annotation = ANNOTATION.startNow;
  return [denial("ADM_START_REASON", { field: `metadata.annotations[${annotation}]` }, { annotation })];
}

/** The API server adds five characters to `generateName`, after this. */
const GENERATED = "xxxxx";

/** Problems of the object itself, independent of the policy; empty if there are none. Never changes the object. */
export function checkObject(kind: Kind, object: WorkloadObject): Denial[] {
  const { name = `${object.metadata.generateName ?? ""}${GENERATED}` } = object.metadata;
  if (name.length > NAME_LIMIT) {
    const params = { length: name.length, limit: NAME_LIMIT };
    return [denial("ADM_NAME_TOO_LONG", { field: "metadata.name", actual: name, allowed: NAME_LIMIT }, params)];
  }
  const refused = checkMetadata(object.metadata);
  if (refused.length > 0) return refused;
  const spec: unknown = object.spec ?? {};
  if (stopping[kind](spec)) {
    const fields = object.spec ?? {};
    const wrong = [...checkStartReason(object), ...checkFields(fields)];
    return kind === "KaasCluster" ? [...wrong, ...checkCluster(fields)] : wrong;
  }
  return schemaDenials(kind, spec);
}

/** The schema's errors of an invalid spec. */
function schemaDenials(kind: Kind, spec: unknown): Denial[] {
  const over = overLimits(SCHEMAS[kind], spec);
  if (over !== null) return [denial("ADM_SCHEMA", { field: dotted(over.pointer) }, { detail: over.detail })];
  const validate = reporting[kind];
  validate(spec);
  // An error about a key is covered by the error about its content.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== "propertyNames");
  return errors.slice(0, MAX_DENIALS).map((error) => schemaDenial(spec, error));
}

/** Null if `apiVersion` and `kind` are ours, else the problem. */
export function checkKind(apiVersion: string, kind: string): Denial | null {
  const [group] = apiVersion.split("/");
  if (group === COMPOSITION_GROUP && isKind(kind)) return null;
  return denial("ADM_UNKNOWN_KIND", { field: "kind", actual: kind }, { kind: `${apiVersion} ${kind}` });
}
