import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LandfallError, messageOf } from "../../errors.ts";
import { textOf } from "../../model/json.ts";

async function readPem<T>(file: string, read: (pem: string) => T): Promise<T> {
  try {
    return read(await readFile(file, "utf8"));
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? textOf(thrown.code) : "";
    const detail = code === "ERR_OSSL_UNSUPPORTED" ? "it is not a PEM key in PKCS #8 or SPKI" : messageOf(thrown);
    throw new LandfallError("BUNDLE_KEY", { file, detail }, thrown);
  }
}

/** A private key, PEM, PKCS #8 or SEC1; `passphrase` where it is encrypted. Throws BUNDLE_KEY. */
export const readPrivateKey = (file: string, passphrase?: string): Promise<KeyObject> =>
  readPem(file, (key) => createPrivateKey({ key, ...(passphrase === undefined ? {} : { passphrase }) }));

/** A public key, PEM, as `cosign public-key` writes it. Throws BUNDLE_KEY. */
export const readPublicKey = (file: string): Promise<KeyObject> => readPem(file, (pem) => createPublicKey(pem));
