import { parseAllDocuments } from "yaml";
import { isObject } from "../../model/json.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";

const isManifest = (value: unknown): value is KubernetesObject =>
  isObject(value) && typeof value["kind"] === "string" && isObject(value["metadata"]);

/**
 * The objects in YAML documents; documents that are empty or not an object are omitted. Of a key that is there twice, the last value
 * counts, as it does for helm: comparing all keys takes time that grows with their square. Throws the parser's error for aliases that
 * have no anchor or expand without a limit.
 */
export const readManifest = (yaml: string): KubernetesObject[] =>
  parseAllDocuments(yaml, { logLevel: "silent", prettyErrors: false, uniqueKeys: false })
    .map((document): unknown => document.toJS() as unknown)
    .filter(isManifest);
