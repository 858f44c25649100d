import { randomBytes } from "node:crypto";
import {
  issueAuthority,
  issueServer,
  keyPem,
  type KeyPair,
  type Life,
} from "../../src/certificates/issue-certificate.ts";

/** PEM texts. */
export interface ServingCertificate {
  /** One CA, or several while one replaces another. */
  ca: string;
  cert: string;
  key: string;
}

const NAME = "landfall webhook";
/** A CA is replaced when two thirds of its life are over, and so is a certificate. */
const [CA_DAYS, LEAF_DAYS] = [1095, 90] as const;

/** A CA with a name of its own, so that clients tell an old one and a new one apart. */
export const makeAuthority = async (life: Life = {}): Promise<KeyPair> =>
  issueAuthority(`${NAME} CA ${randomBytes(4).toString("hex")}`, { days: CA_DAYS, ...life });

/** A serving certificate of this CA for `names` (DNS names or IPv4 addresses). */
export async function signServingCertificate(
  authority: KeyPair,
  names: readonly string[],
  life: Life = {},
): Promise<ServingCertificate> {
  const alternatives = names.map((value) => ({ type: /^[\d.]+$/.test(value) ? "ip" : "dns", value }) as const);
  const { certificate, key } = await issueServer(authority, NAME, alternatives, { days: LEAF_DAYS, ...life });
  return { ca: `${authority.certificate.toString("pem")}\n`, cert: certificate, key };
}

/** A CA of its own and a serving certificate. The CA's key is not kept, so that nothing else can be signed with it. */
export async function makeServingCertificate(names: readonly string[], life: Life = {}): Promise<ServingCertificate> {
  const year = { days: 365, ...life };
  return signServingCertificate(await makeAuthority(year), names, year);
}

/** A CA that all replicas share, with its key, and a certificate of it. */
export async function makeSharedCertificate(
  names: readonly string[],
  life: Life = {},
): Promise<ServingCertificate & { caKey: string }> {
  const authority = await makeAuthority(life);
  return { ...(await signServingCertificate(authority, names, life)), caKey: await keyPem(authority.keys) };
}
