import { type KeyObject, sign } from "node:crypto";
import { canonicalJson } from "../../model/json.ts";
import { sha256 } from "../../model/sha256.ts";
import { readTar, writeTar } from "../../model/bundle-format/tar.ts";

export const SIGNATURES_FILE = ".signatures.json";

interface FileHash {
  name: string;
  /** Hexadecimal. */
  hash: string;
  algorithm: "SHA-256";
}

/** opa hashes these by value, not by byte, so that formatting does not matter. They are parsed for it. */
export const isStructured = (name: string): boolean => /(^|\/)(data\.json|\.manifest)$/.test(name);

/** Hexadecimal, as opa signs it. Throws a SyntaxError for data that is not JSON. */
export const hashBundleFile = (name: string, body: Buffer): string =>
  sha256(isStructured(name) ? canonicalJson(JSON.parse(body.toString("utf8"))) : body);

/**
 * The parts of a bundle that opa signs: a hash of each file, omitting the signatures' own
 * (https://www.openpolicyagent.org/docs/latest/management-bundles/#signing). Throws a SyntaxError for data that is not JSON.
 */
function hashBundleFiles(files: ReadonlyMap<string, Buffer>): FileHash[] {
  const names = [...files.keys()].filter((name) => name !== SIGNATURES_FILE).sort();
  return names.map((name) => {
    const hash = hashBundleFile(name, files.get(name) ?? Buffer.alloc(0));
    return { name, hash, algorithm: "SHA-256" };
  });
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * The tarball with opa's own `.signatures.json` in it: one JSON Web Token over the hashes of all files, ES256 or RS256.
 * ECDSA signs differently each time, so the digest of a tarball signed with such a key does too.
 */
export function signBundleFiles(archive: Uint8Array, key: KeyObject): Buffer {
  const files = readTar(archive);
  files.delete(SIGNATURES_FILE);
  const alg = key.asymmetricKeyType === "rsa" ? "RS256" : "ES256";
  const signed = `${encode({ alg, typ: "JWT" })}.${encode({ files: hashBundleFiles(files) })}`;
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  files.set(SIGNATURES_FILE, Buffer.from(JSON.stringify({ signatures: [`${signed}.${signature}`] })));
  return writeTar(new Map([...files].map(([name, body]) => [`/${name}`, body])));
}
