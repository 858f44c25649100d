import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { type DocumentOptions, parseAllDocuments, type SchemaOptions } from "yaml";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";

export function badInput(file: string, detail: string, cause?: unknown): LandfallError {
  return new LandfallError("CLI_INPUT", { file, detail }, cause);
}

async function readText(file: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (file === "-") return text(stdin);
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw badInput(file, messageOf(thrown), thrown);
  }
}

/** How plain scalars are read; YAML 1.2 by default. */
type Reading = DocumentOptions & SchemaOptions;

function parse(file: string, source: string, reading: Reading): unknown[] {
  const documents = parseAllDocuments(source, reading);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw badInput(file, error.message.split("\n")[0] ?? error.message, error);
    try {
      return document.toJS() as unknown;
    } catch (thrown) {
      // Limit of nested aliases.
      throw badInput(file, messageOf(thrown), thrown);
    }
  });
}

/** A `List`, as in the output of `kubectl get -o yaml`, contains the objects. */
function flatten(value: unknown): unknown[] {
  if (isObject(value) && value["kind"] === "List" && Array.isArray(value["items"])) return value["items"];
  return value === null ? [] : [value];
}

/** The documents of YAML or JSON text; those of a `List` are separate. Throws CLI_INPUT. */
export const parseDocuments = (file: string, source: string, reading: Reading = {}): unknown[] =>
  parse(file, source, reading).flatMap(flatten);

/** The same for a file, or `stdin` for `-`. Throws CLI_INPUT. */
export const readDocuments = async (
  file: string,
  stdin: NodeJS.ReadableStream,
  reading: Reading = {},
): Promise<unknown[]> => parseDocuments(file, await readText(file, stdin), reading);
