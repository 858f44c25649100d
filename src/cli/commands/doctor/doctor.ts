import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { openClient } from "../../options/open-client.ts";
import { whole } from "../../../flags/option-values.ts";
import { checkConfigurations } from "./check-configurations.ts";
import { checkController } from "./check-controller.ts";
import { checkReplicas } from "./check-replicas.ts";
import { checkRights } from "./check-rights.ts";
import { checkVersions } from "./check-versions.ts";
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

/** Looks once. `now`: the time in ms since 1970, by the clock of the API server once it has answered. */
async function look(client: KubeClient, { root }: Cli, options: Options & { now: () => number }): Promise<Finding[]> {
  const { namespace, systemNamespace: system, now } = options;
  const rights = await checkRights(client, root, system);
  const nowMs = now();
  const configurations = await checkConfigurations(client, nowMs);
  const replicas = await checkReplicas(client, system, nowMs);
  const controller = await checkController(client, system, nowMs);
  return [
    ...configurations,
    ...replicas.findings,
    ...controller.findings,
    checkVersions([...replicas.running, ...controller.running]),
    ...rights,
    ...(await probeAdmission(client, { namespace, system, nowMs })),
  ];
}

const isBad = (findings: readonly Finding[]): boolean => findings.some(({ remedy }) => remedy !== null);

async function examine(cli: Cli, options: Options): Promise<void> {
  const { kubeconfig, output, wait } = options;
  const { client, nowMs: now } = await openClient(kubeconfig, cli);
  const end = performance.now() + wait * 1000;
  try {
    let findings = await look(client, cli, { ...options, now });
    while (isBad(findings) && performance.now() + AGAIN_MS < end) {
      await sleep(AGAIN_MS);
      findings = await look(client, cli, { ...options, now });
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
      "Check an installation: the webhook configurations, certificates and their CA, which controller leads, the versions and rights of its processes, the bundle, and a dry run through the API server.",
    )
    .option("--namespace <name>", "namespace of the dry run", "default")
    .option("--wait <seconds>", "look again for so long while something is wrong", whole(0, 600), 0);
  withClusterOptions(command).action((options: Options) => examine(cli, options));
}
