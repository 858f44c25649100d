import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../errors.ts";
import { KUBERNETES_YAML } from "../../../model/formats/kubernetes-yaml.ts";
import { badInput, parseDocuments } from "../../objects/read-documents.ts";

const FOLDER = "landfall/settings";
const SETTINGS = `${FOLDER}/data.yaml`;

const readIf = (file: string): Promise<string | null> => readFile(file, "utf8").catch(() => null);

/** The advice for a folder without settings. */
async function instead(source: string): Promise<string> {
  const names = await readdir(source).catch((thrown: unknown) => {
    throw badInput(source, messageOf(thrown), "check the path: --source is a folder", thrown);
  });
  for (const name of names) {
    if ((await readIf(join(source, name, SETTINGS))) !== null) return `give --source ${join(source, name)}`;
  }
  const near = (await readdir(join(source, FOLDER)).catch(() => [])).find((name) => /^data\.(?:yml|json)$/.test(name));
  if (near !== undefined) return `write the settings as YAML into ${SETTINGS}, instead of ${FOLDER}/${near}`;
  return "give a folder that `landfall scaffold bundle` made";
}

/**
 * Checks that a folder holds the platform's policies, and that its settings are YAML: opa and the policies' own tests say less of it. Throws
 * CLI_INPUT and CLI_YAML.
 */
export async function checkSource(source: string): Promise<void> {
  const file = join(source, SETTINGS);
  const text = await readIf(file);
  if (text === null) throw badInput(source, `it has no ${SETTINGS}`, await instead(source));
  const { length } = parseDocuments(file, text, KUBERNETES_YAML);
  if (length !== 1)
    throw badInput(file, `it has ${String(length)} documents`, "write the settings as one map, without ---");
}
