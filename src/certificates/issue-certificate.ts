import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { HOUR_MS } from "../model/time.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const YEAR_MS = 365 * 24 * HOUR_MS;
/** Tolerates small differences between the clocks of containers and hosts. */
const BACKDATE_MS = 300_000;

export interface KeyPair {
  certificate: x509.X509Certificate;
  keys: webcrypto.CryptoKeyPair;
}

/** A certificate and its key as PEM. */
export interface PemPair {
  certificate: string;
  key: string;
}

export interface Subject {
  commonName: string;
  /** Groups, as Kubernetes reads them. */
  organizations?: string[];
}

const newKeys = async (): Promise<webcrypto.CryptoKeyPair> =>
  crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);

const nameOf = (subject: Subject): x509.JsonName => [
  { CN: [subject.commonName] },
  ...(subject.organizations ?? []).map((organization) => ({ O: [organization] })),
];

const validity = (years = 1): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - BACKDATE_MS),
  notAfter: new Date(Date.now() + years * YEAR_MS),
});

export async function keyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
}

/** A self-signed CA, ECDSA P-256. */
export async function issueAuthority(commonName: string, years = 1): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: nameOf({ commonName }),
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(years),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return { certificate, keys };
}

/** A CA from its PEM texts, to sign with it again. */
export async function readAuthority({ certificate, key }: PemPair): Promise<KeyPair> {
  const parsed = new x509.X509Certificate(certificate);
  const publicKey: webcrypto.CryptoKey = await crypto.subtle.importKey(
    "spki",
    parsed.publicKey.rawData,
    ALGORITHM,
    true,
    ["verify"],
  );
  const [raw] = x509.PemConverter.decode(key);
  const privateKey = await crypto.subtle.importKey("pkcs8", raw ?? new ArrayBuffer(0), ALGORITHM, true, ["sign"]);
  return { certificate: parsed, keys: { privateKey, publicKey } };
}

async function issue(authority: KeyPair, subject: Subject, extensions: x509.Extension[]): Promise<PemPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: nameOf(subject),
    issuer: authority.certificate.subjectName.toJSON(),
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity(),
    extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions],
  });
  return { certificate: certificate.toString("pem"), key: await keyPem(keys) };
}

/** A client's certificate: Kubernetes takes the common name as the user and the organizations as groups. */
export const issueClient = async (authority: KeyPair, subject: Subject): Promise<PemPair> =>
  issue(authority, subject, [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])]);

/** A server's certificate for DNS names and IP addresses. */
export const issueServer = async (
  authority: KeyPair,
  commonName: string,
  names: x509.JsonGeneralNames,
): Promise<PemPair> =>
  issue(authority, { commonName }, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
  ]);

/** A bare key pair for signing service account tokens. */
export async function issueKey(): Promise<{ key: string; publicKey: string }> {
  const keys = await newKeys();
  const publicKey = x509.PemConverter.encode(await crypto.subtle.exportKey("spki", keys.publicKey), "PUBLIC KEY");
  return { key: await keyPem(keys), publicKey };
}
