import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { createClient, type KubeClient } from "../../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { whole } from "../../../flags/option-values.ts";
import { checkCertificates } from "./check-certificates.ts";
import { checkConfigurations } from "./check-configurations.ts";
import { checkHelm } from "./check-helm.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import type { Finding } from "./finding.ts";
import { probeAdmission } from "./probe-admission.ts";

interface Options extends ClusterFlags, OutputFlags {
  namespace: string;
  /** Seconds. */
  wait: number;
}

function text({ check, detail, remedy }: Finding, { colors }: Cli): string {
  const mark = remedy === null ? colors.green("ok ") : colors.red("bad");
  return `${mark} ${check}: ${detail}\n${remedy === null ? "" : `    ${remedy}\n`}`;
}

/** Ms between two looks, if something is wrong. */
const AGAIN_MS = 2000;

async function look(client: KubeClient, { namespace, systemNamespace }: Options): Promise<Finding[]> {
  const now = Date.now();
  return [
    ...(await checkConfigurations(client, now)),
    ...(await checkCertificates(client, systemNamespace, now)),
    await checkHelm(client, systemNamespace, now),
    ...(await probeAdmission(client, namespace, now)),
  ];
}

const isBad = (findings: readonly Finding[]): boolean => findings.some(({ remedy }) => remedy !== null);

async function examine(cli: Cli, options: Options): Promise<void> {
  const { kubeconfig, output, wait } = options;
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  const end = performance.now() + wait * 1000;
  try {
    let findings = await look(client, options);
    while (isBad(findings) && performance.now() + AGAIN_MS < end) {
      await sleep(AGAIN_MS);
      findings = await look(client, options);
    }
    writeResult(cli, output, findings, () => findings.map((finding) => text(finding, cli)).join(""));
    if (isBad(findings)) cli.exit(EXIT.denied);
  } finally {
    await client.close();
  }
}

/** `landfall doctor`: whether an installation works, and what to do if it does not. */
export function addDoctor(program: Command, cli: Cli): void {
  const command = withOutput(program.command("doctor"))
    .description(
      "Check an installation: the webhook configurations, certificates and their CA, which controller leads, when the bundle expires, and a dry run through the API server.",
    )
    .option("--namespace <name>", "namespace of the dry run", "default")
    .option("--wait <seconds>", "look again for so long while something is wrong", whole(0, 600), 0);
  withClusterOptions(command).action((options: Options) => examine(cli, options));
}
