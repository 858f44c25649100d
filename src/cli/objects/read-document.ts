import { createRequire } from "node:module";
import type { WorkloadObject } from "../../model/workload.ts";
import { LandfallError } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { API_VERSION, COMPOSITION_GROUP, isKind, type Kind, KINDS, SERVED_VERSIONS } from "../../model/names.ts";
import { gluedName } from "../../model/text/glued-name.ts";
import { nearest } from "../../model/text/nearest.ts";
import { flow, inProse } from "../../model/wrong-value/explain-value.ts";
import type { SchemaNode } from "../../model/wrong-value/schema-node.ts";
import { type MetadataProblem, metadataProblem } from "./metadata-problem.ts";
import { badInput } from "./read-documents.ts";

/** The origin of a document, for messages. */
export interface Where {
  file: string;
  /** `document 2` */
  document: string;
}

/** A document of a manifest: an object of ours, a Namespace, or an object that the command does not read. */
export type ReadDocument =
  | { is: "workload"; kind: Kind; object: WorkloadObject }
  | { is: "namespace"; object: WorkloadObject }
  | { is: "foreign"; name: string };

type Fields = Record<string, unknown>;
/** Ends the reading: what is wrong, and what to write. */
type Fail = (detail: string, correction: string) => never;

/** The fields that every object of a cluster has. */
const TOP = ["apiVersion", "kind", "metadata", "spec", "status"];

/** A map with nothing of an object, as the values of a Helm chart are. */
function noObject(value: Fields, fail: Fail): void {
  const fields = Object.keys(value);
  if (fields.some((field) => TOP.includes(field))) return;
  const kind = fields.every((field) => isOfSpec("VmTemplate", field)) ? "VmTemplate" : null;
  const meant =
    kind ?? (fields.some((field) => isOfSpec("KaasCluster", field)) && fields.length < 12 ? "KaasCluster" : null);
  const what = "it has no apiVersion, kind, metadata and spec";
  if (meant !== null && fields.length > 0)
    fail(
      what,
      `write apiVersion: ${API_VERSION}, kind: ${meant}, metadata: {name: web} and spec:, and these fields below spec`,
    );
  fail(`${what}, so it is not a manifest, e.g. values of a chart`, `give a file with a ${KINDS.join(" or a ")}`);
}

interface TypeMeta {
  apiVersion: string;
  kind: string;
}

function kindOf(value: Fields, fail: Fail): TypeMeta {
  const { apiVersion, kind } = value;
  const kinds = `kind: ${KINDS.join(" or kind: ")}`;
  if (typeof kind !== "string" && typeof apiVersion !== "string")
    return fail("apiVersion and kind are missing", `write apiVersion: ${API_VERSION}, and ${kinds}`);
  if (typeof kind !== "string") return fail("kind is missing", `write ${kinds}`);
  const version = `write apiVersion: ${API_VERSION}`;
  if ((apiVersion ?? null) === null) return fail("apiVersion is missing", version);
  if (typeof apiVersion !== "string") return fail(`apiVersion ${flow(apiVersion)} is not a text`, version);
  return { apiVersion, kind };
}

/** Kinds of other tools. */
const KIND_OF: readonly (readonly [RegExp, Kind])[] = [
  [/cluster|kaas|kubernetes|^[ega]ks|nodepool/i, "KaasCluster"],
  [/vm|machine|instance|server|compute/i, "VmTemplate"],
];

const isServed = (apiVersion: string): boolean =>
  SERVED_VERSIONS.some((version) => apiVersion === `${COMPOSITION_GROUP}/${version}`);

/** The group of our kinds, perhaps misspelt, or the one that the product's name suggests. */
const isOurs = (apiVersion: string): boolean => {
  const [group = ""] = apiVersion.split("/");
  return group.includes("landfall") || nearest(group, [COMPOSITION_GROUP], 3) !== null;
};

/** One of our kinds, in another spelling. A wrong version is reported with it. */
function checkSpelling(value: Fields, { apiVersion, kind }: TypeMeta, fail: Fail): void {
  if (isKind(kind)) return;
  const meant = nearest(kind, KINDS);
  if (meant === null && !isOurs(apiVersion)) return;
  const instead = meant ?? KIND_OF.find(([pattern]) => pattern.test(kind))?.[1] ?? KINDS.join(" or kind: ");
  const what =
    meant === null
      ? `kind "${kind}" of ${apiVersion.split("/")[0] ?? ""} is not Landfall's`
      : `kind "${kind}" is not known`;
  const later = laterFaults(instead, value);
  if (isServed(apiVersion)) fail(what, `write kind: ${instead}${later}`);
  fail(
    `${what}, and the cluster does not serve apiVersion "${apiVersion}"`,
    `write apiVersion: ${API_VERSION} and kind: ${instead}${later}`,
  );
}

function checkVersion(value: Fields, { apiVersion, kind }: TypeMeta, fail: Fail): void {
  if (isServed(apiVersion)) return;
  fail(
    `the cluster serves no ${kind} of apiVersion "${apiVersion}"`,
    `write apiVersion: ${API_VERSION}${laterFaults(kind, value)}`,
  );
}

const load = createRequire(import.meta.url);

const FILES: Readonly<Record<Kind, string>> = { VmTemplate: "vm-template", KaasCluster: "kaas-cluster" };

/** Whether a field is one of the kind's spec, perhaps misspelt or by another name. Only errors need the schema. */
function isOfSpec(kind: Kind, field: string): boolean {
  const { properties = {} } = load(`../../../schemas/${FILES[kind]}.schema.json`) as SchemaNode;
  const names = Object.entries(properties).flatMap(([name, { "x-aliases": others = [] }]) => [name, ...others]);
  return nearest(field, names) !== null;
}

/** Fields that stand where the API server knows none: usually `spec` lacks its indentation. Null for none. */
function topFault(kind: Kind, value: Fields): MetadataProblem | null {
  const fields = Object.keys(value).filter((name) => !TOP.includes(name));
  const [field] = fields;
  if (field === undefined) return null;
  const outside = fields.filter((name) => isOfSpec(kind, name));
  if (outside.length > 1)
    return { detail: `${inProse(outside)} stand outside spec`, correction: "indent them below spec" };
  if (outside.length > 0)
    return { detail: `${inProse(outside)} stands outside spec`, correction: "indent it below spec" };
  const meant = nearest(field, TOP);
  return {
    detail: `${field} is not a field of a ${kind}`,
    correction: meant === null ? "remove it" : `write ${meant}`,
  };
}

/** Faults that the next answers would name, as the end of a correction. */
const also = (faults: readonly (MetadataProblem | null)[]): string =>
  faults.map((one) => (one === null ? "" : `; also ${one.detail}; ${one.correction}`)).join("");

/** The faults of an object behind its kind; none of one whose kind is not known. */
function laterFaults(kind: string, value: Fields): string {
  if (!isKind(kind)) return "";
  const { metadata } = value;
  return also([isObject(metadata) ? metadataProblem(metadata) : null, topFault(kind, value)]);
}

/** Ends the reading of an object whose metadata the API server would refuse. Throws CLI_METADATA. */
function checkMetadata(metadata: Fields, kind: string, value: Fields, { file, document }: Where): void {
  const problem = metadataProblem(metadata);
  if (problem === null) return;
  const later = isKind(kind) ? also([topFault(kind, value)]) : "";
  const texts = { detail: `${document}: ${problem.detail}`, correction: problem.correction + later };
  throw new LandfallError("CLI_METADATA", { file, ...texts });
}

function failMetadata(value: Fields, fail: Fail): never {
  const { metadata } = value;
  const example = "write metadata: {name: web}";
  const near = Object.keys(value).find((field) => !TOP.includes(field) && nearest(field, ["metadata"]) !== null);
  if (metadata === undefined && near !== undefined) return fail(`${near} is not a field`, "write metadata");
  const { name: outside } = value;
  if (metadata === undefined && typeof outside === "string")
    return fail("name stands outside metadata", `write metadata: ${flow({ name: outside.slice(0, 60) })} in its place`);
  if (metadata === undefined || metadata === null) return fail("metadata is missing", example);
  if (typeof metadata !== "string") return fail("metadata is not a map", example);
  const name = metadata.slice(0, 60);
  return fail(`metadata ${JSON.stringify(name)} is not a map`, `write metadata: ${flow({ name })}`);
}

/** Why a spec is a text, where its fields were meant; null for other texts. */
function textOfFields(spec: string): readonly [detail: string, correction: string] | null {
  if (gluedName(spec.split("\n")[0] ?? "") !== null)
    return ["because no space follows a colon in it", "write one after each, as in cpu: 2"];
  if (/^[A-Za-z]\w{0,60}: /.test(spec)) return ["because of the | or > after spec:", "remove it"];
  return /^[A-Za-z]\w{0,60} ?= ?\S/.test(spec)
    ? ["because its fields have = and no colon", "write them as cpu: 2, each on a line of its own"]
    : null;
}

/** The fault of a spec that is not a map, and what to write. */
function notMap(spec: unknown): readonly [detail: string, correction: string] {
  const [why, correction] = (typeof spec === "string" ? textOfFields(spec) : null) ?? [];
  if (why !== undefined && correction !== undefined) return [`spec is a text, ${why}`, correction];
  if (Array.isArray(spec) && spec.length > 0 && spec.every(isObject))
    return ["spec is a list, and not a map", 'write its fields without "- " before them'];
  const detail = `spec ${spec === null ? "has no value" : "is not a map"}`;
  return [detail, "write its fields below it, e.g. spec: {cpu: 2, memory: 4}"];
}

function checkSpec({ spec }: Fields, fail: Fail): void {
  if (spec !== undefined && !isObject(spec)) fail(...notMap(spec));
}

function foreign(kind: string, metadata: unknown): ReadDocument {
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  return { is: "foreign", name: `${kind} ${name}`.trim() };
}

/** Reads one document. Throws CLI_INPUT, CLI_METADATA. */
export function readDocument(value: unknown, { file, document }: Where): ReadDocument {
  const fail: Fail = (detail, correction) => {
    throw badInput(file, `${document}: ${detail}`, correction);
  };
  if (Array.isArray(value))
    return fail(
      "it is a list, and not an object",
      'remove "- " before each object, and write --- on a line between two',
    );
  if (!isObject(value)) return fail("it is not a map", "write apiVersion, kind, metadata and spec, each with a colon");
  noObject(value, fail);
  const type = kindOf(value, fail);
  const { apiVersion, kind } = type;
  checkSpelling(value, type, fail);
  const isNamespace = kind === "Namespace" && apiVersion === "v1";
  if (!isNamespace && !isKind(kind)) return foreign(kind, value["metadata"]);
  if (!isNamespace) checkVersion(value, type, fail);
  if (!isObject(value["metadata"])) return failMetadata(value, fail);
  checkMetadata(value["metadata"], kind, value, { file, document });
  const object = value as unknown as WorkloadObject;
  if (!isKind(kind)) return { is: "namespace", object };
  const outside = topFault(kind, value);
  if (outside !== null) fail(outside.detail, outside.correction);
  checkSpec(value, fail);
  return { is: "workload", kind, object };
}
