import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { type Document, type DocumentOptions, isScalar, parseAllDocuments, type SchemaOptions, visit } from "yaml";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject, textOf } from "../../model/json.ts";
import { limitTime } from "../../policy/module/limit-time.ts";
import { documentFault } from "../../model/file-faults/document-fault.ts";
import { commentFault } from "../../model/file-faults/json-comment.ts";
import { noteWritten } from "./written-as.ts";
import { faultAt, type YamlFault, yamlFault } from "../../model/file-faults/yaml-fault.ts";
import { table } from "../../model/table.ts";

/** A file that cannot be used: what is wrong, and what to do. */
export function badInput(file: string, detail: string, correction: string, cause?: unknown): LandfallError {
  return new LandfallError("CLI_INPUT", { file, detail, correction }, cause);
}

/** The correction of an error of the file system, by its code. */
const BY_CODE: Readonly<Record<string, string>> = table({
  ENOENT: "check the path, or give - for standard input",
  ENOTDIR: "check the path: a part of it is a file",
  EACCES: "allow this user to read it",
  EISDIR: "give a file",
});

/** A file or folder that cannot be read or written. */
export function unusable(file: string, thrown: unknown): LandfallError {
  const code = isObject(thrown) && typeof thrown["code"] === "string" ? thrown["code"] : "";
  return badInput(file, messageOf(thrown), BY_CODE[code] ?? "give another file", thrown);
}

async function readText(file: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (file === "-") return text(stdin);
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw unusable(file, thrown);
  }
}

/** How plain scalars are read; YAML 1.2 by default. */
type Reading = DocumentOptions & SchemaOptions;

const broken = (file: string, { line, column, detail, correction }: YamlFault, cause?: unknown): LandfallError =>
  new LandfallError("CLI_YAML", { file, line, column, detail, correction }, cause);

/** `kubectl get` writes all objects into one document. */
const DOCUMENTS = 10_000;
/** Reading 10 MB takes about two seconds. */
const PARSING_MS = 20_000;
/** Both take time that grows with the square of what is in the file: names are compared below, and places of errors are looked up there too. */
const LINEAR = { uniqueKeys: false, prettyErrors: false, logLevel: "error" } as const;

/** Only what is nested too deeply makes the parser itself fail. */
function parseAll(file: string, source: string, reading: Reading): Document[] {
  const marks = source.match(/^(?:---|\.\.\.)/gm)?.length ?? 0;
  if (marks > DOCUMENTS)
    throw badInput(file, `it has more than ${String(DOCUMENTS)} documents`, "split it into several files");
  try {
    const documents = parseAllDocuments(source, { ...reading, ...LINEAR });
    return Array.isArray(documents) ? documents : [];
  } catch (thrown) {
    throw badInput(file, "it is nested too deeply", "remove levels of brackets", thrown);
  }
}

/** The first names of an object: a second one at the beginning of a line begins another object. */
const FIRST: readonly string[] = ["apiVersion", "kind", "metadata"];

function faultOf(source: string, at: number, name: string): YamlFault {
  const fault = faultAt(source, at, "DUPLICATE_KEY");
  if (fault.column !== 1 || !FIRST.includes(name)) return fault;
  const detail = fault.detail.replace(
    /has a field that its map has already$/,
    "begins a second object in one document",
  );
  return { ...fault, detail, correction: "write --- on a line before it" };
}

/**
 * The first field that its map has already; null if there is none. The parser compares each name with all before it: 60,000 names of one map would
 * take it a minute.
 */
function duplicateFault(source: string, document: Document): YamlFault | null {
  let fault: YamlFault | null = null;
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          fault = faultOf(source, key.range?.[0] ?? 0, textOf(key.value));
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return fault;
}

function parse(file: string, source: string, reading: Reading): unknown[] {
  const comment = commentFault(source);
  if (comment !== null) throw broken(file, comment);
  return parseAll(file, source, reading).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw broken(file, yamlFault(source, error), error);
    // Two names that YAML reads as one, such as y and yes, are not the same to who wrote them: that is said first.
    const fault = documentFault(source, document) ?? duplicateFault(source, document);
    if (fault !== null) throw broken(file, fault);
    const value = valueOf(file, document);
    noteWritten(document.contents, value);
    return value;
  });
}

/** Aliases that repeat each other could fill the memory. */
function valueOf(file: string, document: Document): unknown {
  try {
    return document.toJS();
  } catch (thrown) {
    const detail = "its aliases (*) repeat more than a manifest may hold";
    throw badInput(file, detail, "write the values themselves", thrown);
  }
}

/** A document, or an object of a `List`, with its place in the file: `document 2`, `document 1, items[3]`. */
export interface PlacedDocument {
  value: unknown;
  document: string;
}

/** A `List`, as in the output of `kubectl get -o yaml`, contains the objects. */
function flatten(file: string, value: unknown, document: string): PlacedDocument[] {
  if (!isObject(value) || value["kind"] !== "List") return value === null ? [] : [{ value, document }];
  const { items } = value;
  if (Array.isArray(items))
    return items.map((item: unknown, index) => ({ value: item, document: `${document}, items[${String(index)}]` }));
  const detail =
    items === undefined ? "the List has no items" : `items of the List is ${isObject(items) ? "a map" : "no list"}`;
  throw badInput(file, detail, 'write items: and below it each object after "- "');
}

/**
 * The documents of YAML or JSON text; those of a `List` are separate. No text takes longer than `limitMs`. Throws CLI_INPUT,
 * CLI_YAML.
 */
function placedDocuments(
  file: string,
  source: string,
  reading: Reading = {},
  limitMs: number = PARSING_MS,
): PlacedDocument[] {
  try {
    const values = limitTime(limitMs)(file, () => parse(file, source, reading));
    return values.flatMap((value, index) => flatten(file, value, `document ${String(index + 1)}`));
  } catch (thrown) {
    if (!(thrown instanceof LandfallError) || thrown.code !== "BUNDLE_TIMEOUT") throw thrown;
    const detail = `reading it takes longer than ${String(limitMs / 1000)} s`;
    throw badInput(file, detail, "split it into several files", thrown);
  }
}

/** The same, without their places. */
export const parseDocuments = (...of: Parameters<typeof placedDocuments>): unknown[] =>
  placedDocuments(...of).map(({ value }) => value);

/** The documents of a file, or of `stdin` for `-`. Throws CLI_INPUT, CLI_YAML. */
export const readDocuments = async (
  file: string,
  stdin: NodeJS.ReadableStream,
  reading: Reading = {},
): Promise<PlacedDocument[]> => placedDocuments(file, await readText(file, stdin), reading);
