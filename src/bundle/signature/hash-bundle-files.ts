import { canonicalJson } from "../../model/json.ts";
import { sha256 } from "../../model/sha256.ts";

export const SIGNATURES_FILE = ".signatures.json";

export interface FileHash {
  name: string;
  /** Hexadecimal. */
  hash: string;
  algorithm: "SHA-256";
}

/** opa hashes these by value, not by byte, so that formatting does not matter. */
const STRUCTURED = /(^|\/)(data\.json|\.manifest)$/;

/**
 * What opa signs of a bundle: a hash of each file, the signatures' own left out
 * (https://www.openpolicyagent.org/docs/latest/management-bundles/#signing). Throws a SyntaxError for data that is no JSON.
 */
export function hashBundleFiles(files: ReadonlyMap<string, Buffer>): FileHash[] {
  const names = [...files.keys()].filter((name) => name !== SIGNATURES_FILE).sort();
  return names.map((name) => {
    const body = files.get(name) ?? Buffer.alloc(0);
    const hashed = STRUCTURED.test(name) ? canonicalJson(JSON.parse(body.toString("utf8"))) : body;
    return { name, hash: sha256(hashed), algorithm: "SHA-256" };
  });
}
