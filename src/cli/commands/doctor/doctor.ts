import type { Command } from "commander";
import { createClient } from "../../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { checkCertificates } from "./check-certificates.ts";
import { checkConfigurations } from "./check-configurations.ts";
import { checkHelm } from "./check-helm.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import type { Finding } from "./finding.ts";
import { probeAdmission } from "./probe-admission.ts";

interface Options extends ClusterFlags, OutputFlags {
  namespace: string;
}

function text({ check, detail, remedy }: Finding, { colors }: Cli): string {
  const mark = remedy === null ? colors.green("ok ") : colors.red("bad");
  return `${mark} ${check}: ${detail}\n${remedy === null ? "" : `    ${remedy}\n`}`;
}

async function examine(cli: Cli, { kubeconfig, namespace, systemNamespace, output }: Options): Promise<void> {
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    const findings = [
      ...(await checkConfigurations(client, Date.now())),
      ...(await checkCertificates(client, systemNamespace, Date.now())),
      await checkHelm(client, systemNamespace),
      await probeAdmission(client, namespace),
    ];
    writeResult(cli, output, findings, () => findings.map((finding) => text(finding, cli)).join(""));
    if (findings.some(({ remedy }) => remedy !== null)) cli.exit(EXIT.denied);
  } finally {
    await client.close();
  }
}

/** `landfall doctor`: whether an installation works, and what to do if it does not. */
export function addDoctor(program: Command, cli: Cli): void {
  const command = withOutput(program.command("doctor"))
    .description(
      "Check an installation: the webhook configurations, certificates and their CA, how Helm is called, and a dry run through the API server.",
    )
    .option("--namespace <name>", "namespace of the dry run", "default");
  withClusterOptions(command).action((options: Options) => examine(cli, options));
}
