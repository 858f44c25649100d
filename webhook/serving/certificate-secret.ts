import { X509Certificate } from "node:crypto";
import { readAuthority } from "../../src/certificates/issue-certificate.ts";
import { hasStatus } from "../../src/cluster/client/api-error.ts";
import { below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { createOnce } from "../../src/cluster/create-once.ts";
import { secretsPath } from "../../src/cluster/secrets-path.ts";
import { PART_OF_LANDFALL } from "../../src/model/decision-annotation/system-secrets.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { checkCertificate } from "./check-certificate.ts";
import { makeSharedCertificate, type ServingCertificate, signServingCertificate } from "./serving-certificate.ts";

const CA_YEARS = 10;
/** A certificate is renewed when this part of its life is over: a year's after eight months. */
const RENEWED_AFTER = 2 / 3;

type Stored = ServingCertificate & { caKey: string };

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const textOf = (value: unknown): string => Buffer.from(typeof value === "string" ? value : "", "base64").toString();

const storedIn = ({ data = {} }: Resource): Stored => ({
  ca: textOf(data["ca.crt"]),
  cert: textOf(data["tls.crt"]),
  key: textOf(data["tls.key"]),
  caKey: textOf(data["ca.key"]),
});

function isOld({ cert }: Stored, nowMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return nowMs >= from + (to - from) * RENEWED_AFTER;
}

export interface CertificateSecretOptions {
  client: KubeClient;
  namespace: string;
  name: string;
  /** DNS names or IPv4 addresses at which the API server calls. */
  names: readonly string[];
  nowMs: () => number;
}

/**
 * Opens the Secret with the CA and the certificate that all replicas share. The first replica makes it, any of them renews the
 * certificate with the same CA, and a Secret that was deleted is put back as long as one replica runs. `read` throws ADM_TLS for a
 * Secret that cannot be used.
 */
export function openCertificateSecret({ client, namespace, name, names, nowMs }: CertificateSecretOptions) {
  const collection = secretsPath(namespace);
  const path = below(collection, name);
  const where = `Secret ${namespace}/${name}`;
  let known: Stored | null = null;

  const secretOf = ({ ca, cert, key, caKey }: Stored, version: { resourceVersion?: string } = {}) => ({
    ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls" },
    metadata: { name, namespace, labels: PART_OF_LANDFALL, ...version },
    data: { "ca.crt": base64(ca), "ca.key": base64(caKey), "tls.crt": base64(cert), "tls.key": base64(key) },
  });

  async function renew(stored: Stored, { resourceVersion = "" }: Resource["metadata"]): Promise<Stored> {
    const authority = await readAuthority({ certificate: stored.ca, key: stored.caKey });
    const renewed = { ...(await signServingCertificate(authority, names)), caKey: stored.caKey };
    try {
      await client.replace(path, secretOf(renewed, { resourceVersion }));
      return renewed;
    } catch (thrown) {
      // Another replica renews it; the present one is valid for months.
      if (hasStatus(thrown, 409)) return stored;
      throw thrown;
    }
  }

  async function load(): Promise<Stored> {
    const secret = await client.get<Resource>(path);
    if (secret === null) {
      const made = known ?? (await makeSharedCertificate(names, CA_YEARS));
      return (await createOnce(client, collection, secretOf(made))) ? made : load();
    }
    const stored = storedIn(secret);
    checkCertificate(stored, { where, names, nowMs: nowMs() });
    return isOld(stored, nowMs()) ? renew(stored, secret.metadata) : stored;
  }

  return {
    async read(): Promise<ServingCertificate> {
      known = await load();
      const { ca, cert, key } = known;
      return { ca, cert, key };
    },
  };
}
