import { issueAuthority, issueServer } from "../../src/certificates/issue-certificate.ts";

/** PEM texts. The CA's key is not kept, so that nothing else can be signed with it. */
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
