import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import type { WebhookFlags } from "../../src/flags/webhook-options.ts";
import { openCertificateSecret } from "./certificate-secret.ts";
import { makeServingCertificate, type ServingCertificate } from "./serving-certificate.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../../src/errors.ts";
import { checkCertificate } from "./check-certificate.ts";

/** Reads `tls.crt`, `tls.key` and `ca.crt` of a folder, as a mounted Secret of cert-manager has them. Throws ADM_TLS. */
export async function readCertificateFiles(
  folder: string,
  names: readonly string[],
  nowMs: number,
): Promise<ServingCertificate> {
  const read = (name: string): Promise<string> =>
    readFile(join(folder, name), "utf8").catch((thrown: unknown) => {
      throw new LandfallError("ADM_TLS", { where: folder, detail: messageOf(thrown) }, thrown);
    });
  const [cert, key, ca] = await Promise.all([read("tls.crt"), read("tls.key"), read("ca.crt")]);
  return checkCertificate({ ca, cert, key }, { where: folder, names, nowMs });
}

const READ_EVERY_MS = 30_000;

export interface Certificate {
  current: () => ServingCertificate;
  /** Calls back with each later one. Returns a function that ends this. */
  follow: (onChange: (next: ServingCertificate) => Promise<void>) => () => Promise<void>;
}

/** The names in the certificate: the API server calls one of them. */
function namesOf({ url, service, systemNamespace, host }: WebhookFlags): string[] {
  if (service !== undefined) return [`${service}.${systemNamespace}.svc`];
  return url === undefined ? [host, "localhost"] : [new URL(url).hostname];
}

function readerOf(flags: WebhookFlags, client: KubeClient): (() => Promise<ServingCertificate>) | null {
  const { tlsDir, tlsSecret: name, systemNamespace: namespace } = flags;
  const names = namesOf(flags);
  if (tlsDir !== undefined) return () => readCertificateFiles(tlsDir, names, Date.now());
  if (name === undefined) return null;
  const secret = openCertificateSecret({ client, namespace, name, names, nowMs: Date.now });
  return () => secret.read();
}

/** The certificate of the flags: of a folder, of a Secret, or one of this process alone. Throws ADM_TLS and REL_API…. */
export async function openCertificate(
  flags: WebhookFlags,
  client: KubeClient,
  onFailure: (thrown: unknown) => void,
): Promise<Certificate> {
  const read = readerOf(flags, client);
  let current = await (read === null ? makeServingCertificate(namesOf(flags)) : read());
  return {
    current: () => current,
    follow(onChange) {
      if (read === null) return () => Promise.resolve();
      let underway: Promise<void> = Promise.resolve();
      const look = async (): Promise<void> => {
        const next = await read();
        if (next.cert === current.cert && next.key === current.key && next.ca === current.ca) return;
        current = next;
        await onChange(next);
      };
      const timer = setInterval(() => {
        underway = underway.then(look).catch(onFailure);
      }, READ_EVERY_MS);
      return () => {
        clearInterval(timer);
        return underway;
      };
    },
  };
}
