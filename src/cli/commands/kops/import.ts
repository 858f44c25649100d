import type { Command } from "commander";
import { checkObject } from "../../../admission/check/check-object.ts";
import { LandfallError } from "../../../errors.ts";
import { importCluster } from "../../../kops/import-cluster.ts";
import { readManifests } from "../../../kops/read-manifests.ts";
import type { KaasCluster } from "../../../kops/types.ts";
import { API_VERSION } from "../../../model/names.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { formatNotes } from "./format-notes.ts";
import { readKopsCatalog } from "./read-kops-catalog.ts";
import { inKopsWords } from "./kops-words.ts";
import { readDocuments } from "../../objects/read-documents.ts";

interface ImportOptions extends OutputFlags {
  file: string;
  namespace?: string;
  name?: string;
}

const FORMATS = ["yaml", "json"];

function asObject({ name, spec }: KaasCluster, options: ImportOptions) {
  const { namespace } = options;
  return {
    apiVersion: API_VERSION,
    kind: "KaasCluster",
    metadata: { name: options.name ?? name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { ...spec },
  };
}

async function importKops(cli: Cli, options: ImportOptions): Promise<void> {
  const catalog = await readKopsCatalog(cli.root, new Date().toISOString().slice(0, 10));
  const documents = await readDocuments(options.file, cli.stdin);
  const manifests = readManifests(
    options.file,
    documents.map(({ value }) => value),
  );
  const { cluster, notes } = importCluster(manifests, catalog);
  const object = asObject(cluster, options);
  const [denial, ...others] = checkObject("KaasCluster", object);
  const name = `KaasCluster ${object.metadata.name}`;
  if (denial !== undefined)
    throw new LandfallError("KOPS_DENIED", {
      object: name,
      detail: inKopsWords(denial.message, manifests),
      correction: [denial.remedy, ...others.map(({ message, remedy }) => `also ${message}; ${remedy}`)]
        .map((text) => inKopsWords(text, manifests))
        .join("; "),
    });
  const isJson = options.output === "json";
  writeResult(cli, options.output, isJson ? { object, notes } : object, () => "");
  if (!isJson) cli.note(formatNotes(name, notes));
  cli.exit(EXIT.allowed);
}

/** `landfall import kops`: converts kOps manifests to a KaasCluster. */
export function addImport(program: Command, cli: Cli): void {
  const group = program.command("import").description("Convert another tool's manifests to Landfall objects.");
  withOutput(group.command("kops"), FORMATS)
    .description("Print a KaasCluster for the manifests of a kOps cluster.")
    .requiredOption(
      "-f, --file <file>",
      "YAML or JSON file with a Cluster and its InstanceGroups; - for standard input",
    )
    .option("-n, --namespace <name>", "namespace of the object")
    .option("--name <name>", "name of the object (default: the cluster's without its DNS zone)")
    .action((options: ImportOptions) => importKops(cli, options));
}
