import { issueAuthority, issueServer, keyPem, type KeyPair } from "../../src/certificates/issue-certificate.ts";

/** PEM texts. */
export interface ServingCertificate {
  ca: string;
  cert: string;
  key: string;
}

const NAME = "landfall webhook";

/** A serving certificate of this CA for `names` (DNS names or IPv4 addresses). */
export async function signServingCertificate(
  authority: KeyPair,
  names: readonly string[],
): Promise<ServingCertificate> {
  const alternatives = names.map((value) => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value }) as const);
  const { certificate, key } = await issueServer(authority, NAME, alternatives);
  return { ca: authority.certificate.toString("pem"), cert: certificate, key };
}

/** A CA of its own and a serving certificate. The CA's key is not kept, so that nothing else can be signed with it. */
export const makeServingCertificate = async (names: readonly string[]): Promise<ServingCertificate> =>
  signServingCertificate(await issueAuthority(`${NAME} CA`), names);

/** A CA that all replicas share, with its key, and a certificate of it. */
export async function makeSharedCertificate(
  names: readonly string[],
  years: number,
): Promise<ServingCertificate & { caKey: string }> {
  const authority = await issueAuthority(`${NAME} CA`, years);
  return { ...(await signServingCertificate(authority, names)), caKey: await keyPem(authority.keys) };
}
