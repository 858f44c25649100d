import { createPrivateKey } from "node:crypto";
import { certificatesIn } from "../../src/cluster/client/certificates-in.ts";
import { LandfallError, messageOf } from "../../src/errors.ts";
import { issuersOf, leafIn } from "./authorities.ts";
import type { ServingCertificate } from "./serving-certificate.ts";

/** Why the three do not belong together; null if they do. */
function mismatchIn({ ca, cert, key }: ServingCertificate): string | null {
  if (!leafIn(cert).checkPrivateKey(createPrivateKey(key))) return "tls.key is not the key of tls.crt";
  // Throws what is wrong with them.
  certificatesIn(ca);
  return issuersOf(cert, ca) === "" ? "no certificate in ca.crt has signed tls.crt" : null;
}

/** Why the API server does not accept a certificate. */
export interface Unaccepted {
  /** Its time is over. */
  isExpired: boolean;
  detail: string;
}

/** Why the API server would not accept `cert` for all of `names` now; null if it would. Throws if it cannot be read. */
export function expiredOrForeign(cert: string, names: readonly string[], nowMs: number): Unaccepted | null {
  const leaf = leafIn(cert);
  if (leaf.validToDate.getTime() <= nowMs)
    return { isExpired: true, detail: `tls.crt expired at ${leaf.validToDate.toISOString()}` };
  if (leaf.validFromDate.getTime() > nowMs)
    return { isExpired: false, detail: `tls.crt is valid only from ${leaf.validFromDate.toISOString()}` };
  const missing = names.find(
    (name) => (/^[\d.]+$/.test(name) ? leaf.checkIP(name) : leaf.checkHost(name)) === undefined,
  );
  return missing === undefined ? null : { isExpired: false, detail: `tls.crt is not for ${missing}` };
}

/** Throws ADM_TLS with what `problem` finds or throws. */
function refuse(where: string, problem: () => string | null): void {
  let detail: string | null;
  try {
    detail = problem();
  } catch (thrown) {
    throw new LandfallError("ADM_TLS", { where, detail: messageOf(thrown) }, thrown);
  }
  if (detail !== null) throw new LandfallError("ADM_TLS", { where, detail });
}

/** A certificate, its key and its CA belong together. Throws ADM_TLS; `where` names their Secret or folder. */
export function checkParts(certificate: ServingCertificate, where: string): void {
  refuse(where, () => mismatchIn(certificate));
}

/** A certificate that the API server would accept for all of `names`. Throws ADM_TLS; `where` names its Secret or folder. */
export function checkCertificate(
  certificate: ServingCertificate,
  { where, names, nowMs }: { where: string; names: readonly string[]; nowMs: number },
): ServingCertificate {
  checkParts(certificate, where);
  refuse(where, () => expiredOrForeign(certificate.cert, names, nowMs)?.detail ?? null);
  return certificate;
}
