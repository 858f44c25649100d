import { issueAuthority, issueServer } from "../../src/certificates/issue-certificate.ts";

/** PEM texts. The CA's key is forgotten: nobody can sign with it later. */
export interface ServingCertificate {
  ca: string;
  cert: string;
  key: string;
}

/** A CA of its own and a serving certificate for `names` (DNS names or IPv4 addresses). */
export async function makeServingCertificate(names: readonly string[]): Promise<ServingCertificate> {
  const authority = await issueAuthority("landfall webhook CA");
  const alternatives = names.map((value) => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value }) as const);
  const { certificate, key } = await issueServer(authority, "landfall webhook", alternatives);
  return { ca: authority.certificate.toString("pem"), cert: certificate, key };
}
