import { type DocumentOptions, parseDocument, type ParseOptions, type SchemaOptions } from "yaml";
import { documentFault } from "./document-fault.ts";
import { type YamlFault, yamlFault } from "./yaml-fault.ts";

type Reading = DocumentOptions & ParseOptions & SchemaOptions;

/** The value of a YAML file, or what is wrong with it in a sentence. */
export type ParsedFile = { value: unknown } | { problem: string };

const told = ({ line, column, detail, correction }: YamlFault): string =>
  `line ${String(line)}, column ${String(column)}: ${detail}; ${correction}`;

/** Parses the text of a file of one document that a user wrote, and words its faults as those of manifests. */
export function parseYamlFile(text: string, reading: Reading = {}): ParsedFile {
  const document = parseDocument(text, { ...reading, prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) {
    const isMany = (error.code as string) === "MULTIPLE_DOCS";
    return { problem: isMany ? "it has several documents; write one, without ---" : told(yamlFault(text, error)) };
  }
  const fault = documentFault(text, document);
  if (fault !== null) return { problem: told(fault) };
  try {
    return { value: document.toJS() as unknown };
  } catch {
    return { problem: "its aliases (*) cannot be resolved, or repeat too much; write the values themselves" };
  }
}
