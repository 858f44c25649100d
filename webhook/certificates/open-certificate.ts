import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { createEventRecorder } from "../../src/cluster/create-event-recorder.ts";
import type { ServerClock } from "../../src/cluster/server-clock.ts";
import { LandfallError, messageOf } from "../../src/errors.ts";
import type { WebhookFlags } from "../../src/flags/webhook-options.ts";
import { openCertificateSecret, type CertificateSecretOptions, type CertificateSource } from "./certificate-secret.ts";
import { checkCertificate } from "./check-certificate.ts";
import { keepCertificate, type KeptCertificate } from "./keep-certificate.ts";
import { openReplicaReports } from "./replica-reports.ts";
import type { Rotation } from "./stored-certificate.ts";
import { makeServingCertificate, type ServingCertificate } from "./serving-certificate.ts";

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

/** The names in the certificate: the API server calls one of them. */
function namesOf({ url, service, systemNamespace, host }: WebhookFlags): string[] {
  if (service !== undefined) return [`${service}.${systemNamespace}.svc`];
  return url === undefined ? [host, "localhost"] : [new URL(url).hostname];
}

export interface OpenOptions {
  client: KubeClient;
  /** The API server's. */
  clock: Pick<ServerClock, "nowSeconds">;
  logger: Pick<FastifyBaseLogger, "info" | "warn">;
}

/** Logs what happens to the certificate; what happens to its Secret becomes an Event of it. */
function reporters(
  { systemNamespace: namespace, tlsSecret: name = "" }: WebhookFlags,
  { client, logger }: OpenOptions,
) {
  const record = createEventRecorder(client, { component: "landfall-webhook", nowMs: Date.now, quietMs: 0 });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace } };
  return {
    onRestored(detail: string) {
      logger.warn({ detail }, "the certificate's Secret was put back");
      record(secret, { type: "Warning", reason: "CertificateRestored", message: `${detail}; it can be used again` });
    },
    onStep(rotation: Rotation | null) {
      const message =
        rotation === null ? "the CA was replaced" : `the CA is being replaced: ${rotation.step} (${rotation.reason})`;
      logger.info({ secret: `${namespace}/${name}` }, message);
      record(secret, { type: "Normal", reason: "CaRotation", message });
    },
    onProblem(problem: string | null) {
      if (problem === null) logger.info("the API server trusts this replica's certificate");
      else logger.warn({ detail: problem }, "not ready: the API server does not trust this replica");
    },
    onFailure(thrown: unknown) {
      const detail = messageOf(thrown);
      logger.warn({ detail }, "the certificate cannot be read again; the known one stays in use");
    },
  };
}

interface Source {
  source: CertificateSource | null;
  first: ServingCertificate;
}

async function openSource(
  flags: WebhookFlags,
  options: Pick<CertificateSecretOptions, "client" | "nowMs" | "onRestored" | "onStep" | "onFailure">,
): Promise<Source> {
  const { tlsDir, tlsSecret: name, systemNamespace: namespace } = flags;
  const names = namesOf(flags);
  if (tlsDir === undefined && name === undefined) return { source: null, first: await makeServingCertificate(names) };
  const source =
    tlsDir === undefined
      ? openCertificateSecret({ ...options, namespace, name: name ?? "", names })
      : { read: () => readCertificateFiles(tlsDir, names, options.nowMs()) };
  return { source, first: await source.read() };
}

/** A certificate that is not compared with webhook configurations is read again this often, in ms. */
const READ_EVERY_MS = 5000;

/** The certificate of the flags: of a folder, of a Secret, or one of this process alone. Throws ADM_TLS and REL_API…. */
export async function openCertificate(
  flags: WebhookFlags,
  options: OpenOptions,
): Promise<KeptCertificate & { first: ServingCertificate }> {
  const { register: registers = false, replicaName: replica = hostname(), systemNamespace: namespace } = flags;
  const { client, clock } = options;
  const times = {
    nowMs: () => (clock.nowSeconds() ?? Date.now() / 1000) * 1000,
    elapsedMs: () => performance.now(),
  };
  const told = reporters(flags, options);
  const { source, first } = await openSource(flags, { client, ...times, ...told });
  const reports = source !== null && registers ? openReplicaReports({ client, namespace, replica, ...times }) : null;
  const kept = keepCertificate({ ...times, ...told, first, source, reports, registers });
  if (registers || source === null) return { first, ...kept };
  const timer = setInterval(() => void kept.look([]), READ_EVERY_MS);
  return {
    ...{ first, ...kept },
    stop: () => {
      clearInterval(timer);
      return kept.stop();
    },
  };
}
