import { type Command, InvalidArgumentError } from "commander";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { readUser } from "../../../cluster/client/read-user.ts";
import type { ServerClock } from "../../../cluster/server-clock.ts";
import { retryConflicts } from "../../../cluster/retry-conflicts.ts";
import { LandfallError } from "../../../errors.ts";
import { nonEmpty } from "../../../flags/option-values.ts";
import {
  type Emergency,
  EMERGENCY_CONDITION,
  coveredNamespaces,
  emergenciesAt,
  emergencyCondition,
  endedAt,
  notOver,
  readEmergencies,
} from "../../../model/emergency.ts";
import { isObject } from "../../../model/json.ts";
import type { KubernetesObject } from "../../../model/kubernetes.ts";
import { WEBHOOK } from "../../../model/names.ts";
import {
  DAY_SECONDS,
  durationText,
  formatTime,
  HOUR_SECONDS,
  MINUTE_SECONDS,
  nowSeconds,
  parseDuration,
} from "../../../model/time.ts";
import { assertNamespaces, namespaceName } from "../../assert-namespaces.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { repeatedAs } from "../../options/repeated.ts";
import { writeResult } from "../../output/write-result.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { openClient } from "../../options/open-client.ts";
import { WEBHOOK_CONFIGURATIONS } from "../../webhook-configurations.ts";
import { ATTEMPTS, record, type Recorded, recordPath } from "./record.ts";

interface Options extends ClusterFlags, OutputFlags {
  namespace?: string[];
  allNamespaces?: boolean;
  /** Seconds. */
  for?: number;
  reason?: string;
  end?: boolean;
}

const LONGEST = { some: DAY_SECONDS, all: HOUR_SECONDS } as const;
/** Clocks of one installation differ by less, in seconds. */
const MOST_APART_SECONDS = 120;
type Clock = Pick<ServerClock, "nowSeconds">;
const LONGEST_REASON = 500;
interface Configuration extends KubernetesObject {
  webhooks?: unknown[];
}

function seconds(text: string): number {
  const value = parseDuration(text);
  if (value !== null && value >= MINUTE_SECONDS && value <= LONGEST.some) return value;
  throw new InvalidArgumentError("expected a duration from 1m to 24h, e.g. 30m.");
}

const usage: (detail: string) => never = (detail) => {
  throw new LandfallError("CLI_USAGE", { detail });
};

/** The emergency that the flags ask for. Throws CLI_USAGE. */
function emergencyOf(
  { namespace, allNamespaces = false, for: lasts, reason }: Options,
  by: string,
  from: number,
): Emergency {
  if (lasts === undefined || reason === undefined)
    return usage("break-glass needs --for and --reason: add e.g. --for 30m --reason 'INC-42: …'");
  if (reason.length > LONGEST_REASON)
    return usage(`--reason has more than ${String(LONGEST_REASON)} characters: write less`);
  if ((namespace !== undefined) === allNamespaces)
    return usage("write --namespace NAME, several times for several namespaces, or --all-namespaces");
  if (allNamespaces && lasts > LONGEST.all)
    return usage(`--all-namespaces lasts ${durationText(LONGEST.all)} at most: name the namespaces, or write --for 1h`);
  return { namespaces: namespace ?? null, from: formatTime(from), until: formatTime(from + lasts), by, reason };
}

/**
 * When an emergency begins, in seconds since 1970: webhooks and controllers compare it with the API server's clock. Throws CLI_CLOCK if this
 * machine's clock says another time: one of the two is wrong, and the end of the emergency would be, too.
 */
function startOf(clock: Clock): number {
  const [server, local] = [clock.nowSeconds(), nowSeconds()];
  if (server === null || Math.abs(server - local) > MOST_APART_SECONDS)
    throw new LandfallError("CLI_CLOCK", {
      local: formatTime(local),
      server: server === null ? "an unknown time" : formatTime(server),
    });
  return server;
}

/** Each webhook with the condition of the emergencies that last, and with no earlier one. */
function withCondition(configuration: Configuration, lasting: readonly Emergency[]): Configuration {
  const condition = emergencyCondition(lasting);
  const webhooks = (configuration.webhooks ?? []).map((webhook) => {
    if (!isObject(webhook)) return webhook;
    const conditions: unknown[] = Array.isArray(webhook["matchConditions"]) ? webhook["matchConditions"] : [];
    const others = conditions.filter((one) => !isObject(one) || one["name"] !== EMERGENCY_CONDITION);
    return { ...webhook, matchConditions: condition === null ? others : [...others, condition] };
  });
  return { ...configuration, webhooks };
}

/**
 * Writes the condition of what is recorded as lasting. The record is read after the configuration that is replaced: of two commands at the same
 * time, the later one to write knows both, or it is refused by the version of the configuration and reads again.
 */
async function writeConditions(client: KubeClient, system: string, now: () => number): Promise<void> {
  for (const path of WEBHOOK_CONFIGURATIONS)
    await retryConflicts(async () => {
      const configuration = await client.get<Configuration>(path);
      if (configuration === null) return;
      const recorded = readEmergencies(await client.get<KubernetesObject>(recordPath(system)));
      await client.replace(path, withCondition(configuration, emergenciesAt(recorded, now())));
    }, ATTEMPTS);
}

async function assertRegistered(client: KubeClient): Promise<void> {
  const found = await Promise.all(WEBHOOK_CONFIGURATIONS.map((path) => client.get(path)));
  if (found.every((one) => one === null))
    throw new LandfallError("CLI_BREAK_GLASS", { names: `${WEBHOOK.placement} and ${WEBHOOK.guard}` });
}

const whereText = ({ namespaces }: Emergency): string =>
  namespaces === null ? "all namespaces" : namespaces.join(", ");

const NEEDED =
  "Until then, new objects are installed as they are, without a decision, if they name what admission would have chosen:\n" +
  "  VmTemplate   provider, schedulingLocation, instanceType, image, and zone on AWS and Google Cloud\n" +
  "  KaasCluster  provider, schedulingLocation, kubernetesVersion, poolInstanceTypes of each pool, and zones on AWS\n" +
  "No rule, quota or budget is checked. Afterwards, `landfall audit` lists these objects.\n";

/** Says what the record has lost: the controller and the audit go by it. */
function tellLost(cli: Cli, { left, wasDamaged }: Recorded): void {
  if (wasDamaged)
    cli.note(
      "the record of earlier emergencies was damaged: what could not be read of it is in the annotation landfall.dev/emergencies-damaged of its Secret. " +
        "What was created in those emergencies and not decided since counts as undecided (REL_UNDECIDED)\n",
    );
  const last = left.at(-1);
  if (last === undefined) return;
  cli.note(
    `the record is full: it no longer has the ${String(left.length)} oldest emergencies, the last of them from ${last.from} to ${last.until}. ` +
      "What was created in them and not decided since counts as undecided (REL_UNDECIDED), and `landfall audit` no longer lists it as theirs\n",
  );
}

async function begin(cli: Cli, client: KubeClient, clock: Clock, options: Options): Promise<void> {
  await assertRegistered(client);
  await assertNamespaces(cli, client, options.namespace ?? []);
  const by = await readUser(client);
  const now = startOf(clock);
  const emergency = emergencyOf(options, by, now);
  const recorded = await record(client, options.systemNamespace, (before) => {
    const { others } = coveredNamespaces([...emergenciesAt(before, now), emergency]);
    if (others.length > 0)
      usage(
        `one condition cannot hold ${String(others.length)} of these namespaces in addition to those of emergencies that last: name fewer, or write --all-namespaces`,
      );
    return [...before, emergency];
  });
  await writeConditions(client, options.systemNamespace, () => Math.max(now, clock.nowSeconds() ?? now));
  tellLost(cli, recorded);
  const text = `admission is off for ${whereText(emergency)} until ${emergency.until}; recorded for ${emergency.by}\n${NEEDED}`;
  writeResult(cli, options.output, emergency, () => text);
}

async function end(cli: Cli, client: KubeClient, clock: Clock, { systemNamespace, output }: Options): Promise<void> {
  let ended: Emergency[] = [];
  const now = (): number => clock.nowSeconds() ?? nowSeconds();
  const recorded = await record(client, systemNamespace, (known) => {
    const at = now();
    ended = notOver(known, at);
    return known.map((one) => (ended.includes(one) ? endedAt(one, at) : one));
  });
  await writeConditions(client, systemNamespace, now);
  tellLost(cli, recorded);
  const text =
    ended.length === 0 ? "no emergency lasts" : `admission is on again for ${ended.map(whereText).join(", ")}`;
  writeResult(cli, output, ended, () => `${text}\n`);
}

/** An end is of every emergency. Throws CLI_USAGE for a flag that only a beginning has, before the cluster is asked. */
function checkEnd({ namespace, allNamespaces, for: lasts, reason }: Options): void {
  const given = { "--namespace": namespace, "--all-namespaces": allNamespaces, "--for": lasts, "--reason": reason };
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) usage(`--end ends every emergency, and takes no ${flag}: write break-glass --end alone`);
}

async function breakGlass(cli: Cli, options: Options): Promise<void> {
  if (options.end === true) checkEnd(options);
  else emergencyOf(options, "", 0);
  const { client, clock } = await openClient(options.kubeconfig, cli);
  try {
    await (options.end === true ? end(cli, client, clock, options) : begin(cli, client, clock, options));
  } finally {
    await client.close();
  }
}

/** `landfall break-glass`: switches admission off for some namespaces and a while, and records that. */
export function addBreakGlass(program: Command, cli: Cli): void {
  const command = withOutput(program.command("break-glass"))
    .description(
      "Switch admission off for some namespaces and a while, in an emergency. A webhook that runs switches it on again at the end.",
    )
    .option(
      "-n, --namespace <name>",
      "a namespace whose objects are not decided; can be repeated",
      repeatedAs(namespaceName),
    )
    .option("--all-namespaces", "all of them, for an hour at most")
    .option("--for <duration>", "how long: 1m to 24h", seconds)
    .option("--reason <text>", "why; kept in the record", nonEmpty)
    .option("--end", "end every emergency: switch admission on again; takes no flag of a beginning");
  withClusterOptions(command).action((options: Options) => breakGlass(cli, options));
}
