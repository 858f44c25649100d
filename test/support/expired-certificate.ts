import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { keyPem } from "../../src/certificates/issue-certificate.ts";

/** A self-signed certificate of 127.0.0.1 whose time is over. PEM. */
export async function expiredCertificate(): Promise<{ certificate: string; key: string }> {
  const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=registry",
    keys,
    signingAlgorithm,
    notBefore: new Date("2020-01-01T00:00:00Z"),
    notAfter: new Date("2021-01-01T00:00:00Z"),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])],
  });
  return { certificate: certificate.toString("pem"), key: await keyPem(keys) };
}
