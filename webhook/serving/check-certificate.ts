import { createPrivateKey, X509Certificate } from "node:crypto";
import { certificatesIn } from "../../src/cluster/client/certificates-in.ts";
import { LandfallError, messageOf } from "../../src/errors.ts";
import type { ServingCertificate } from "./serving-certificate.ts";

function problemWith({ ca, cert, key }: ServingCertificate, names: readonly string[], nowMs: number): string | null {
  const leaf = new X509Certificate(cert);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) return "tls.key is not the key of tls.crt";
  if (!certificatesIn(ca).some((one) => leaf.checkIssued(one) && leaf.verify(one.publicKey)))
    return "no certificate in ca.crt has signed tls.crt";
  if (leaf.validToDate.getTime() <= nowMs) return `tls.crt expired at ${leaf.validToDate.toISOString()}`;
  if (leaf.validFromDate.getTime() > nowMs) return `tls.crt is valid only from ${leaf.validFromDate.toISOString()}`;
  const missing = names.find(
    (name) => (/^[\d.]+$/.test(name) ? leaf.checkIP(name) : leaf.checkHost(name)) === undefined,
  );
  return missing === undefined ? null : `tls.crt is not for ${missing}`;
}

/** A certificate that the API server would accept for all of `names`. Throws ADM_TLS; `where` names its Secret or folder. */
export function checkCertificate(
  certificate: ServingCertificate,
  { where, names, nowMs }: { where: string; names: readonly string[]; nowMs: number },
): ServingCertificate {
  let detail: string | null;
  try {
    detail = problemWith(certificate, names, nowMs);
  } catch (thrown) {
    throw new LandfallError("ADM_TLS", { where, detail: messageOf(thrown) }, thrown);
  }
  if (detail !== null) throw new LandfallError("ADM_TLS", { where, detail });
  return certificate;
}
