import { X509Certificate } from "node:crypto";

const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

/** The certificates of a PEM bundle, in its order. Throws if one cannot be read. */
export const certificatesIn = (bundle: string): X509Certificate[] =>
  bundle
    .split(END)
    .filter((part) => part.includes(BEGIN))
    .map((part) => new X509Certificate(`${part.slice(part.lastIndexOf(BEGIN))}${END}`));
