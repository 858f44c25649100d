import { LandfallError } from "../errors.ts";
import { type CompiledCheck, compileSchema } from "../model/schemas/compile-schema.ts";
import { isObject, textOf } from "../model/json.ts";
import { allFound, type FileProblem } from "../model/wrong-value/first-problem.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { nearest } from "../model/text/nearest.ts";
import { CLUSTER_LABEL } from "./labels.ts";
import { type KopsKind, MANIFEST_SCHEMAS } from "./manifest-schema.ts";
import { KOPS_API, type KopsManifests, type Manifest } from "./types.ts";

/** kOps renamed its API group in 2020; both names have the same version. */
const APIS = [KOPS_API, "kops/v1alpha2"];

const validators = Object.fromEntries(
  Object.entries(MANIFEST_SCHEMAS).map(([kind, schema]) => [
    kind,
    compileSchema(schema, { allErrors: true }, (ajv) =>
      ajv.addVocabulary(["x-reads", "x-values", "x-free", "x-unit", "x-most"]),
    ),
  ]),
) as Record<KopsKind, CompiledCheck<unknown>>;

const isKopsKind = (kind: unknown): kind is KopsKind => typeof kind === "string" && Object.hasOwn(validators, kind);

function refuse(file: string, detail: string): LandfallError {
  return new LandfallError("KOPS_MANIFEST", { file, detail });
}

/** Newer kOps versions write an object with one key, the cloud's own fields; kOps reads both forms. */
function plainProvider(provider: unknown): Record<string, unknown> {
  const [only, ...more] = isObject(provider) ? Object.entries(provider) : [];
  if (only === undefined || more.length > 0) return { cloudProvider: provider };
  const [name, fields] = only;
  const isEmpty = !isObject(fields) || Object.keys(fields).length === 0;
  return { cloudProvider: name, ...(isEmpty ? {} : { [`cloudProvider.${name}`]: fields }) };
}

/** Normalises fields that kOps reads in several spellings, so that equal values compare as equal. */
function inOneSpelling(kind: KopsKind, spec: Record<string, unknown>): Record<string, unknown> {
  const { cloudProvider, kubernetesVersion: version, role } = spec;
  if (kind === "InstanceGroup") return role === "ControlPlane" ? { ...spec, role: "Master" } : spec;
  if (kind !== "Cluster") return spec;
  return {
    ...spec,
    ...(cloudProvider === undefined ? {} : plainProvider(cloudProvider)),
    ...(typeof version === "string" ? { kubernetesVersion: version.replace(/^v/, "") } : {}),
  };
}

type Document = { kind: KopsKind; manifest: Manifest } | { kind: null; additional: KubernetesObject };

/** Null for an object of kOps. kOps takes any object with an API besides its own. */
function readAdditional(value: Record<string, unknown>, document: string): Document | null {
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || /^kops(\.k8s\.io)?\//.test(apiVersion)) return null;
  const named = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : document;
  return { kind: null, additional: { apiVersion, kind, metadata: { name: named } } };
}

/** The kind of a document that names none, by a field that only this kind has. */
function kindFor(spec: unknown): KopsKind {
  if (!isObject(spec)) return "Cluster";
  if (spec["publicKey"] !== undefined) return "SSHCredential";
  return spec["role"] === undefined && spec["machineType"] === undefined ? "Cluster" : "InstanceGroup";
}

/** Why a document is not of kOps, with the kind and version that are meant. */
function otherKind(document: string, { apiVersion, kind, spec }: Record<string, unknown>): string {
  const missing = Object.entries({ apiVersion: KOPS_API, kind: kindFor(spec) });
  const lacking = missing.filter(([name]) => ({ apiVersion, kind })[name] === undefined);
  if (lacking.length > 0)
    return `${document} has no ${lacking.map(([name]) => name).join(" and no ")}; write ${lacking.map((one) => one.join(": ")).join(" and ")}`;
  const kinds = Object.keys(validators);
  const [near, isKnown] = [nearest(textOf(kind), kinds), isKopsKind(kind)];
  const written = [
    ...(APIS.includes(textOf(apiVersion)) ? [] : [`apiVersion: ${KOPS_API}`]),
    ...(isKnown || near === null ? [] : [`kind: ${near}`]),
  ];
  const what = `${document} is ${textOf(apiVersion)} ${textOf(kind)}, and not a ${kinds.join(", ")} of ${KOPS_API}`;
  return written.length === 0 || (!isKnown && near === null) ? what : `${what}; write ${written.join(" and ")}`;
}

/** A problem of one object. */
interface Wrong extends FileProblem {
  object: string;
}

/** More would hide the first ones. */
const MOST_TOLD = 12;

/** Throws KOPS_FIELD with the problems of all objects, so that they are corrected together. */
function refuseFields([first, ...others]: readonly Wrong[]): void {
  if (first === undefined) return;
  const also = others
    .slice(0, MOST_TOLD - 1)
    .map(
      ({ object, field, given, detail, correction }) => `; also ${object}: ${field}${given} ${detail}; ${correction}`,
    );
  throw new LandfallError("KOPS_FIELD", { ...first, correction: first.correction + also.join("") });
}

/** Reads one document, and adds the problems of its fields to `wrong`. Throws KOPS_MANIFEST. */
function readManifest(file: string, value: unknown, index: number, wrong: Wrong[]): Document {
  const document = `document ${String(index + 1)}`;
  if (!isObject(value))
    throw refuse(
      file,
      `${document} is ${Array.isArray(value) ? 'a list; remove "- " before its objects' : "not an object"}`,
    );
  const additional = readAdditional(value, document);
  if (additional !== null) return additional;
  const { apiVersion, kind, metadata, spec } = value;
  if (!isKopsKind(kind) || !APIS.includes(textOf(apiVersion))) throw refuse(file, otherKind(document, value));
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : document;
  const given = { ...value, apiVersion: KOPS_API, ...(isObject(spec) ? { spec: inOneSpelling(kind, spec) } : {}) };
  const validate = validators[kind];
  if (!validate(given))
    wrong.push(
      ...allFound(MANIFEST_SCHEMAS[kind], value, validate.errors).map((one) => ({ object: `${kind} ${name}`, ...one })),
    );
  return { kind, manifest: given as unknown as Manifest };
}

/** Throws KOPS_GROUP if a member belongs to another cluster, or two have the same name. */
function checkMembers(cluster: string, members: readonly { kind: KopsKind; manifest: Manifest }[]): void {
  const seen = new Set<string>();
  for (const { kind, manifest } of members) {
    const { labels, name = "" } = manifest.metadata;
    const object = `${kind} ${name}`;
    const owner = labels?.[CLUSTER_LABEL] ?? cluster;
    if (owner !== cluster)
      throw new LandfallError("KOPS_GROUP", { object, detail: `belongs to cluster ${owner}, not to ${cluster}` });
    if (seen.has(object)) throw new LandfallError("KOPS_GROUP", { object, detail: "is there twice" });
    seen.add(object);
  }
}

/** Sorts a file's documents by kind. Throws KOPS_MANIFEST, KOPS_FIELD, KOPS_GROUP. */
export function readManifests(file: string, values: readonly unknown[]): KopsManifests {
  const wrong: Wrong[] = [];
  const documents = values.map((value, index) => readManifest(file, value, index, wrong));
  refuseFields(wrong);
  const all = documents.filter((document) => document.kind !== null);
  const clusters = all.flatMap(({ kind, manifest }) => (kind === "Cluster" ? [manifest] : []));
  const [cluster] = clusters;
  if (cluster === undefined) {
    const isOurs = documents.some((one) => one.kind === null && one.additional.kind === "KaasCluster");
    throw refuse(
      file,
      `it holds no Cluster${isOurs ? " but a KaasCluster, which `landfall export kops` maps to kOps" : ""}`,
    );
  }
  const names = clusters.map(({ metadata }) => metadata.name).join(", ");
  if (clusters.length > 1) throw refuse(file, `it holds ${String(clusters.length)} Clusters: ${names}`);
  const members = all.filter(({ kind }) => kind !== "Cluster");
  checkMembers(cluster.metadata.name ?? "", members);
  const groups = members.flatMap(({ kind, manifest }) => (kind === "InstanceGroup" ? [manifest] : []));
  const ofRole = (role: string): Manifest[] => groups.filter(({ spec }) => spec["role"] === role);
  if (ofRole("Node").length === 0) throw refuse(file, "it holds no InstanceGroup of the role Node");
  return {
    cluster,
    controlPlane: ofRole("Master"),
    nodes: ofRole("Node"),
    sshKeys: members.flatMap(({ kind, manifest }) => (kind === "SSHCredential" ? [manifest] : [])),
    others: groups.filter(({ spec }) => spec["role"] !== "Node" && spec["role"] !== "Master"),
    additional: documents.flatMap((document) => (document.kind === null ? [document.additional] : [])),
  };
}
