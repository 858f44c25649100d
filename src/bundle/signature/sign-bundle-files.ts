import { type KeyObject, sign } from "node:crypto";
import { readTar, writeTar } from "../../model/bundle-format/tar.ts";
import { hashBundleFiles, SIGNATURES_FILE } from "./hash-bundle-files.ts";

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
