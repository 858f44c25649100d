import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parseAllDocuments } from "yaml";
import { LandfallError } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { KUBERNETES_YAML } from "../../model/formats/kubernetes-yaml.ts";

export interface Manifest {
  file: string;
  object: KubernetesObject;
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return (
    isObject(value) &&
    typeof value["kind"] === "string" &&
    typeof value["apiVersion"] === "string" &&
    isObject(value["metadata"])
  );
}

async function readManifest(folder: string, file: string): Promise<Manifest[]> {
  const documents = parseAllDocuments(await readFile(join(folder, file), "utf8"), KUBERNETES_YAML);
  return documents.flatMap((document) => {
    const [problem] = document.errors;
    if (problem) throw new LandfallError("LOCAL_EXAMPLE", { file, detail: problem.message }, problem);
    const value: unknown = document.toJS();
    if (value === null) return [];
    if (!isKubernetesObject(value))
      throw new LandfallError("LOCAL_EXAMPLE", { file, detail: "a document is not a Kubernetes object" });
    return [{ file, object: value }];
  });
}

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /\.ya?ml$/.test(name)).sort();
}

/** Every object of a YAML file, or of every YAML file of a folder; none if there is no such folder. Errors: LOCAL_EXAMPLE. */
export async function readManifests(path: string): Promise<Manifest[]> {
  if (path.endsWith(".yaml")) return readManifest(dirname(path), basename(path));
  const files = await filesOf(path);
  return (await Promise.all(files.map((file) => readManifest(path, file)))).flat();
}
