import type { Command } from "commander";
import { hasStatus } from "../../../cluster/client/api-error.ts";
import { below } from "../../../cluster/api-path.ts";
import { createClient } from "../../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { secretsPath } from "../../../cluster/secrets-path.ts";
import { LandfallError } from "../../../errors.ts";
import { nonEmpty } from "../../../flags/option-values.ts";
import { CERTIFICATE_SECRET, ROTATE_CA } from "../../../model/names.ts";
import type { Cli } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";

interface RotateFlags extends ClusterFlags {
  reason: string;
  secret: string;
}

async function rotate(cli: Cli, { kubeconfig, systemNamespace, secret, reason }: RotateFlags): Promise<void> {
  const where = `${systemNamespace}/${secret}`;
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    const metadata = { annotations: { [ROTATE_CA]: reason } };
    await client.patch(below(secretsPath(systemNamespace), secret), "merge", { metadata });
    cli.write(`asked for a new CA at Secret ${where}; \`landfall doctor\` says how far it is, about a minute in all\n`);
  } catch (thrown) {
    if (hasStatus(thrown, 404)) throw new LandfallError("CLI_CERTIFICATE_NONE", { where }, thrown);
    throw thrown;
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
