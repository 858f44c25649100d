import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../../src/errors.ts";
import { checkCertificate } from "./check-certificate.ts";
import type { ServingCertificate } from "./serving-certificate.ts";

/** Reads `tls.crt`, `tls.key` and `ca.crt` of a folder, as a mounted Secret of cert-manager has them. Throws ADM_TLS. */
export async function readCertificateFiles(
  folder: string,
  names: readonly string[],
  nowMs: number,
): Promise<ServingCertificate> {
  const read = (name: string): Promise<string> =>
    readFile(join(folder, name), "utf8").catch((thrown: unknown) => {
      throw new LandfallError("ADM_TLS", { where: folder, detail: messageOf(thrown) }, thrown);
    });
  const [cert, key, ca] = await Promise.all([read("tls.crt"), read("tls.key"), read("ca.crt")]);
  return checkCertificate({ ca, cert, key }, { where: folder, names, nowMs });
}
