import "reflect-metadata";
import type { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { DAY_SECONDS } from "../model/time.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = DAY_SECONDS * 1000;
const YEAR_DAYS = 365;
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

/** How long a certificate is valid. */
export interface Life {
  days?: number;
  /** Ms since 1970; this machine's clock if omitted. */
  nowMs?: number;
}

const validity = ({ days = YEAR_DAYS, nowMs = Date.now() }: Life): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(nowMs - BACKDATE_MS),
  notAfter: new Date(nowMs + days * DAY_MS),
});

/** Not longer than the CA's certificate. */
function validityBelow(authority: KeyPair, life: Life): { notBefore: Date; notAfter: Date } {
  const { notBefore, notAfter } = validity(life);
  const last = authority.certificate.notAfter;
  return { notBefore, notAfter: notAfter < last ? notAfter : last };
}

export async function keyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
}

/** A self-signed CA, ECDSA P-256. */
export async function issueAuthority(commonName: string, life: Life = {}): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: nameOf({ commonName }),
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(life),
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

interface Request extends Life {
  subject: Subject;
  extensions: x509.Extension[];
}

async function issue(authority: KeyPair, { subject, extensions, ...life }: Request): Promise<PemPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: nameOf(subject),
    issuer: authority.certificate.subjectName.toJSON(),
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validityBelow(authority, life),
    extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true), ...extensions],
  });
  return { certificate: certificate.toString("pem"), key: await keyPem(keys) };
}

/** A client's certificate: Kubernetes takes the common name as the user and the organizations as groups. */
export const issueClient = async (authority: KeyPair, subject: Subject): Promise<PemPair> =>
  issue(authority, {
    subject,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });

/** A server's certificate for DNS names and IP addresses. */
export const issueServer = async (
  authority: KeyPair,
  commonName: string,
  names: x509.JsonGeneralNames,
  life: Life = {},
): Promise<PemPair> =>
  issue(authority, {
    ...life,
    subject: { commonName },
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
    ],
  });

/** A bare key pair for signing service account tokens. */
export async function issueKey(): Promise<{ key: string; publicKey: string }> {
  const keys = await newKeys();
  const publicKey = x509.PemConverter.encode(await crypto.subtle.exportKey("spki", keys.publicKey), "PUBLIC KEY");
  return { key: await keyPem(keys), publicKey };
}
