import type { Command } from "commander";
import { apiPath, below } from "../../../cluster/api-path.ts";
import { certificatesIn } from "../../../cluster/client/certificates-in.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { secretsPath } from "../../../cluster/secrets-path.ts";
import { LandfallError } from "../../../errors.ts";
import { nonEmpty } from "../../../flags/option-values.ts";
import { textOf } from "../../../model/json.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { CERTIFICATE_SECRET, REPLICAS_CONFIGMAP, ROTATE_CA } from "../../../model/names.ts";
import { isHeard, readReport } from "../../../model/replica-report.ts";
import type { Cli } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { openClient } from "../../options/open-client.ts";

interface RotateFlags extends ClusterFlags {
  reason: string;
  secret: string;
}

/** The CAs in these PEM texts, by their fingerprints; none in a damaged one. */
function fingerprintsIn(pems: readonly string[]): Set<string> {
  try {
    return new Set(pems.flatMap(certificatesIn).map(({ fingerprint256 }) => fingerprint256));
  } catch {
    return new Set();
  }
}

/**
 * Throws CLI_CERTIFICATE_UNUSED if every replica that was heard lately serves a certificate of another CA, as after a change to a Secret of
 * one's own: none reads the annotation then. Of a damaged CA nothing is known.
 */
async function assertUsed(
  client: KubeClient,
  secret: Resource,
  { namespace, where, nowMs }: { namespace: string; where: string; nowMs: number },
): Promise<void> {
  const own = fingerprintsIn([Buffer.from(textOf(secret.data?.["ca.crt"]), "base64").toString()]);
  const collection = apiPath`/api/v1/namespaces/${namespace}/configmaps`;
  const reports = Object.values((await client.get<Resource>(below(collection, REPLICAS_CONFIGMAP)))?.data ?? {})
    .map(readReport)
    .filter((report) => isHeard(report, nowMs));
  const used = fingerprintsIn(reports.map(({ authorities }) => authorities));
  if (own.size > 0 && used.size > 0 && ![...own].some((one) => used.has(one)))
    throw new LandfallError("CLI_CERTIFICATE_UNUSED", { where });
}

async function rotate(cli: Cli, { kubeconfig, systemNamespace, secret, reason }: RotateFlags): Promise<void> {
  const where = `${systemNamespace}/${secret}`;
  const { client, nowMs } = await openClient(kubeconfig, cli);
  try {
    const path = below(secretsPath(systemNamespace), secret);
    const found = await client.get<Resource>(path);
    if (found === null) throw new LandfallError("CLI_CERTIFICATE_NONE", { where });
    await assertUsed(client, found, { namespace: systemNamespace, where, nowMs: nowMs() });
    await client.patch(path, "merge", { metadata: { annotations: { [ROTATE_CA]: reason } } });
    cli.write(`asked for a new CA at Secret ${where}; \`landfall doctor\` says how far it is, about a minute in all\n`);
  } finally {
    await client.close();
  }
}

/** `landfall certificates rotate`: asks the webhooks for a new CA. */
export function addCertificates(program: Command, cli: Cli): void {
  const certificates = program.command("certificates").description("The certificates that the webhooks serve.");
  withClusterOptions(certificates.command("rotate"))
    .description("Have the webhooks replace their CA and certificate, without a restart.")
    .requiredOption("--reason <text>", "why; it is recorded", nonEmpty)
    .option("--secret <name>", "the Secret of --tls-secret", CERTIFICATE_SECRET)
    .action((flags: RotateFlags) => rotate(cli, flags));
}
