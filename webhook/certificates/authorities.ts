import { createPrivateKey, X509Certificate } from "node:crypto";
import { certificatesIn } from "../../src/cluster/client/certificates-in.ts";

/** Texts that are read again and again: parsing a certificate takes longer than all else of a comparison. */
const REMEMBERED = 64;

/** Remembers the latest results of a function of one text. */
function remember<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const result = read(text);
    if (known.size >= REMEMBERED) known.clear();
    known.set(text, result);
    return result;
  };
}

/** The certificates of a PEM text; none if one of them cannot be read. */
export const authoritiesIn = remember((pem): readonly X509Certificate[] => {
  try {
    return certificatesIn(pem);
  } catch {
    return [];
  }
});

/** The first certificate of a PEM text. Throws if it cannot be read. */
export const leafIn = remember((pem) => new X509Certificate(pem));

/** SHA-256 of each certificate. */
export const fingerprintsIn = (pem: string): string[] => authoritiesIn(pem).map((one) => one.fingerprint256);

/** One PEM text with each certificate once, in their order. */
export function joinAuthorities(...texts: readonly string[]): string {
  const all = texts.flatMap(authoritiesIn).map((one) => [one.fingerprint256, one.toString()] as const);
  return [...new Map(all).values()].join("");
}

const SEPARATOR = "\0";

const findIssuers = remember((both) => {
  const [cert = "", ca = ""] = both.split(SEPARATOR);
  const leaf = leafIn(cert);
  return authoritiesIn(ca)
    .filter((one) => leaf.checkIssued(one) && leaf.verify(one.publicKey))
    .map((one) => one.toString())
    .join("");
});

/** The certificates of `ca` that signed `cert`, as PEM. Throws if `cert` cannot be read. */
export const issuersOf = (cert: string, ca: string): string => findIssuers(`${cert}${SEPARATOR}${ca}`);

/** The certificate of `ca` that this key belongs to; null if none does, or the key cannot be read. */
export function authorityOf(ca: string, key: string): X509Certificate | null {
  try {
    const privateKey = createPrivateKey(key);
    return authoritiesIn(ca).find((one) => one.checkPrivateKey(privateKey)) ?? null;
  } catch {
    return null;
  }
}

/** Whether two thirds of its life are over: it is time for the next. */
export function isOld({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return nowMs >= from + ((to - from) * 2) / 3;
}
