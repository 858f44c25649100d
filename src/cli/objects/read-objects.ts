import { LandfallError, lineOf } from "../../errors.ts";
import { namespaceOf } from "../../external-data/namespace-of.ts";
import { isObject } from "../../model/json.ts";
import { KUBERNETES_YAML } from "../../model/formats/kubernetes-yaml.ts";
import type { NamespaceData } from "../../model/kubernetes.ts";
import type { Kind } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { Cli } from "../cli.ts";
import { listFiles } from "./list-files.ts";
import { numberNotes } from "./as-written.ts";
import { readDocument, type Where } from "./read-document.ts";
import { badInput, readDocuments } from "./read-documents.ts";

export interface ReadObjects {
  workloads: { kind: Kind; object: WorkloadObject }[];
  /** Namespace documents in the same files: their labels and annotations are inputs of the decision. */
  namespaces: Map<string, NamespaceData>;
}

/** The part of the command line that reading needs. */
export type ReadCli = Pick<Cli, "stdin" | "note">;

/** The annotations of a namespace that have no effect. Loaded here: few files have one. */
async function tellProblems(namespace: WorkloadObject, file: string, note: ReadCli["note"]): Promise<void> {
  const { namespaceProblems } = await import("../../audit/namespace-problems.ts");
  for (const { message } of namespaceProblems([namespace]))
    note(`landfall: ${file}: Namespace ${namespace.metadata.name ?? ""}: ${message}\n`);
}

/** Adds one document of a file; what is skipped is reported. */
async function addDocument(read: ReadObjects, where: Where, value: unknown, { note, named }: Adding): Promise<void> {
  const { file, document } = where;
  // A folder can hold other files than manifests, such as Helm's values.
  const isManifest = named || (isObject(value) && typeof value["kind"] === "string");
  const one = isManifest ? readDocument(value, where) : ({ is: "foreign", name: "without a kind" } as const);
  if (one.is === "workload") {
    read.workloads.push({ kind: one.kind, object: one.object });
    for (const text of numberNotes(one.kind, one.object.spec)) note(`landfall: ${file}: ${document}: ${text}\n`);
  } else if (one.is === "namespace") {
    read.namespaces.set(one.object.metadata.name ?? "", namespaceOf(one.object));
    await tellProblems(one.object, file, note);
  } else note(`landfall: ${file}: ${document}, ${one.name}, is skipped\n`);
}

interface Adding {
  note: ReadCli["note"];
  /** Whether the user named the file, and not its folder. */
  named: boolean;
}

/** Adds the objects of a file, and returns the faults of its documents. */
async function addFile(
  read: ReadObjects,
  file: string,
  { stdin, note }: ReadCli,
  named: boolean,
): Promise<LandfallError[]> {
  const faults: LandfallError[] = [];
  const orFault = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      if (!(thrown instanceof LandfallError)) throw thrown;
      faults.push(thrown);
    }
  };
  await orFault(async () => {
    for (const { value, document } of await readDocuments(file, stdin, KUBERNETES_YAML))
      await orFault(() => addDocument(read, { file, document }, value, { note, named }));
  });
  return faults;
}

/**
 * Reads every VmTemplate, KaasCluster and Namespace of YAML and JSON files, of the files of folders, of patterns (`*.yaml`), or of
 * `stdin` for `-`. Other kinds are skipped, which is reported. The faults of files and documents that cannot be read come with the others.
 */
export async function readSound(
  paths: string | readonly string[],
  cli: ReadCli,
): Promise<ReadObjects & { faults: LandfallError[] }> {
  const given = [paths].flat();
  const read: ReadObjects = { workloads: [], namespaces: new Map() };
  const faults: LandfallError[] = [];
  for (const file of await listFiles(given)) faults.push(...(await addFile(read, file, cli, given.includes(file))));
  if (read.workloads.length === 0 && faults.length === 0)
    throw badInput(given.join(", "), "it holds no VmTemplate and no KaasCluster", "give a YAML or JSON file with one");
  return { ...read, faults };
}

/** Reports all faults but the last, which is thrown. */
export function throwLast(faults: readonly LandfallError[], note: ReadCli["note"]): void {
  for (const fault of faults.slice(0, -1)) note(`landfall: ${lineOf(fault)}\n`);
  const last = faults.at(-1);
  if (last !== undefined) throw last;
}

/** The same for what needs all of them. Throws CLI_INPUT, CLI_METADATA, CLI_YAML once all faults are reported. */
export async function readObjects(paths: string | readonly string[], cli: ReadCli): Promise<ReadObjects> {
  const { faults, ...read } = await readSound(paths, cli);
  throwLast(faults, cli.note);
  return read;
}
