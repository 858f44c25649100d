import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkKind } from "../../admission/check/check-object.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { LandfallError, messageOf } from "../../errors.ts";
import { namespaceOf } from "../../external-data/cluster-data.ts";
import { isObject } from "../../model/json.ts";
import { KUBERNETES_YAML } from "../../model/kubernetes-yaml.ts";
import type { NamespaceData } from "../../model/kubernetes.ts";
import { isKind, type Kind } from "../../model/names.ts";
import { badInput, parseDocuments, readDocuments } from "./read-documents.ts";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
/** Pattern and maximum length of a name (RFC 1123), as in the API server. */
const NAMES = {
  name: { pattern: new RegExp(`^${LABEL}(\\.${LABEL})*$`), longest: 253, also: " or ." },
  namespace: { pattern: new RegExp(`^${LABEL}$`), longest: 63, also: "" },
} as const;

const isScalar = (value: unknown): boolean => typeof value === "boolean" || typeof value === "number";
const noString = (where: string, value: unknown): string =>
  `${where} has to be a string${isScalar(value) ? `, not ${String(value)}: put it in quotes` : ""}`;

function mapProblem(metadata: Record<string, unknown>, field: "labels" | "annotations"): string | null {
  const map = metadata[field] ?? {};
  if (!isObject(map)) return `metadata.${field} has to map names to strings`;
  const wrong = Object.entries(map).find(([, value]) => typeof value !== "string");
  return wrong === undefined ? null : noString(`metadata.${field}[${wrong[0]}]`, wrong[1]);
}

function nameProblem(metadata: Record<string, unknown>, field: "name" | "namespace"): string | null {
  const value = metadata[field] ?? null;
  if (value === null) return null;
  if (typeof value !== "string") return noString(`metadata.${field}`, value);
  const { pattern, longest, also } = NAMES[field];
  if (pattern.test(value) && value.length <= longest) return null;
  const allowed = `at most ${String(longest)} of a-z, 0-9, -${also}, with a letter or a digit first and last`;
  return `metadata.${field} ${JSON.stringify(value)} is not a name: ${allowed}`;
}

/** What the API server would reject in an object's metadata, as text; null for nothing. */
const metadataProblem = (metadata: Readonly<Record<string, unknown>> | object): string | null => {
  const fields = metadata as Record<string, unknown>;
  const names = nameProblem(fields, "name") ?? nameProblem(fields, "namespace");
  return names ?? mapProblem(fields, "labels") ?? mapProblem(fields, "annotations");
};

export interface ReadObjects {
  workloads: { kind: Kind; object: WorkloadObject }[];
  /** Namespace documents in the same file: their labels and annotations are inputs of the decision. */
  namespaces: Map<string, NamespaceData>;
}

function isNamed(value: unknown): value is WorkloadObject {
  if (!isObject(value) || typeof value["kind"] !== "string" || typeof value["apiVersion"] !== "string") return false;
  return isObject(value["metadata"]) && (value["spec"] === undefined || isObject(value["spec"]));
}

function isOurs(value: unknown): boolean {
  if (!isObject(value)) return false;
  return value["kind"] === "Namespace" || (typeof value["kind"] === "string" && isKind(value["kind"]));
}

function add(read: ReadObjects, value: unknown, where: { file: string; document: string }): void {
  const { file, document } = where;
  if (!isNamed(value)) throw badInput(file, `${document} has no apiVersion, kind, metadata and spec`);
  const problem = metadataProblem(value.metadata);
  if (problem !== null) throw new LandfallError("CLI_METADATA", { file, detail: `${document}: ${problem}` });
  const { kind, apiVersion, metadata } = value;
  if (kind === "Namespace" && apiVersion === "v1") {
    read.namespaces.set(metadata.name ?? "", namespaceOf(value));
    return;
  }
  const wrong = checkKind(apiVersion, kind);
  if (wrong !== null || !isKind(kind)) throw badInput(file, `${document}: ${wrong?.message ?? kind}`);
  read.workloads.push({ kind, object: value });
}

/** The same for every YAML and JSON file below a folder; other kinds are skipped. Throws CLI_INPUT, CLI_METADATA. */
export async function readFolder(folder: string): Promise<ReadObjects> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((thrown: unknown) => {
    throw badInput(folder, messageOf(thrown), thrown);
  });
  const files = entries.filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name));
  const read: ReadObjects = { workloads: [], namespaces: new Map() };
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    const values = parseDocuments(file, await readFile(file, "utf8"), KUBERNETES_YAML);
    for (const [index, value] of values.entries())
      if (isOurs(value)) add(read, value, { file, document: `document ${String(index + 1)}` });
  }
  if (read.workloads.length === 0) throw badInput(folder, "it holds no VmTemplate and no KaasCluster");
  return read;
}

/** Reads every VmTemplate, KaasCluster and Namespace of a YAML or JSON file, or of `stdin` for `-`. Throws CLI_INPUT, CLI_METADATA. */
export async function readObjects(file: string, stdin: NodeJS.ReadableStream): Promise<ReadObjects> {
  const values = await readDocuments(file, stdin, KUBERNETES_YAML);
  const read: ReadObjects = { workloads: [], namespaces: new Map() };
  for (const [index, value] of values.entries()) add(read, value, { file, document: `document ${String(index + 1)}` });
  if (read.workloads.length === 0) throw badInput(file, "it holds no VmTemplate and no KaasCluster");
  return read;
}
