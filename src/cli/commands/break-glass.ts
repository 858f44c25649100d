import { type Command, InvalidArgumentError } from "commander";
import { type ApiPath, below } from "../../cluster/api-path.ts";
import { createClient, type KubeClient } from "../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { readUser } from "../../cluster/client/read-user.ts";
import { createServerClock, type ServerClock } from "../../cluster/server-clock.ts";
import { retryConflicts } from "../../cluster/retry-conflicts.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { LandfallError } from "../../errors.ts";
import { nonEmpty } from "../../flags/option-values.ts";
import {
  type Emergency,
  EMERGENCY_CONDITION,
  EMERGENCY_SECRET,
  emergenciesAt,
  emergencyCondition,
  emergencyMetadata,
  endedAt,
  keptEmergencies,
  notOver,
  readEmergencies,
} from "../../model/emergency.ts";
import { isObject } from "../../model/json.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { WEBHOOK } from "../../model/names.ts";
import {
  DAY_SECONDS,
  durationText,
  formatTime,
  HOUR_SECONDS,
  MINUTE_SECONDS,
  nowSeconds,
  parseDuration,
} from "../../model/time.ts";
import { assertNamespaces, namespaceName } from "../assert-namespaces.ts";
import type { Cli } from "../cli.ts";
import { type OutputFlags, withOutput } from "../options/output-option.ts";
import { writeResult } from "../output/write-result.ts";
import { type ClusterFlags, withClusterOptions } from "../options/cluster-options.ts";
import { WEBHOOK_CONFIGURATIONS } from "../webhook-configurations.ts";

interface Options extends ClusterFlags, OutputFlags {
  namespace?: string[];
  allNamespaces?: boolean;
  /** Seconds. */
  for?: number;
  reason?: string;
  end?: boolean;
}

const LONGEST = { some: DAY_SECONDS, all: HOUR_SECONDS } as const;
const ATTEMPTS = 5;
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

/** Reads an object, changes it and writes it, again after a conflict. Null if there is none. */
const change = <T extends KubernetesObject>(
  client: KubeClient,
  path: ApiPath,
  by: (object: T) => T,
): Promise<T | null> =>
  retryConflicts(async () => {
    const present = await client.get<T>(path);
    return present === null ? null : client.replace<T>(path, by(present));
  }, ATTEMPTS);

interface Recorded {
  kept: Emergency[];
  /** Older ones, which the record does not keep any more. */
  left: Emergency[];
}

function recordedOf(emergencies: readonly Emergency[]): Recorded {
  const kept = keptEmergencies(emergencies);
  return { kept, left: emergencies.slice(0, emergencies.length - kept.length) };
}

/** Records the emergencies that `by` makes of those that are recorded. */
async function record(client: KubeClient, system: string, by: (known: Emergency[]) => Emergency[]): Promise<Recorded> {
  let written: Emergency[] = [];
  const withRecords = (secret: KubernetesObject): KubernetesObject => {
    written = by(readEmergencies(secret));
    const { labels, annotations } = emergencyMetadata(written);
    const { metadata } = secret;
    const merged = { ...metadata.annotations, ...annotations };
    return { ...secret, metadata: { ...metadata, labels: { ...metadata.labels, ...labels }, annotations: merged } };
  };
  if ((await change(client, below(secretsPath(system), EMERGENCY_SECRET), withRecords)) !== null)
    return recordedOf(written);
  written = by([]);
  const metadata = { ...emergencyMetadata(written), namespace: system };
  await client.create(secretsPath(system), {
    apiVersion: "v1",
    kind: "Secret",
    type: "landfall.dev/emergencies",
    metadata,
  });
  return recordedOf(written);
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

async function writeConditions(client: KubeClient, lasting: readonly Emergency[]): Promise<void> {
  for (const path of WEBHOOK_CONFIGURATIONS)
    await change<Configuration>(client, path, (configuration) => withCondition(configuration, lasting));
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

/** Says which emergencies the record has lost: the controller and the audit go by it. */
function tellLeft(cli: Cli, left: readonly Emergency[]): void {
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
  const { kept, left } = await record(client, options.systemNamespace, (before) => [...before, emergency]);
  await writeConditions(client, emergenciesAt(kept, now));
  tellLeft(cli, left);
  const text = `admission is off for ${whereText(emergency)} until ${emergency.until}; recorded for ${emergency.by}\n${NEEDED}`;
  writeResult(cli, options.output, emergency, () => text);
}

async function end(cli: Cli, client: KubeClient, clock: Clock, { systemNamespace, output }: Options): Promise<void> {
  let ended: Emergency[] = [];
  await record(client, systemNamespace, (known) => {
    const now = clock.nowSeconds() ?? nowSeconds();
    ended = notOver(known, now);
    return known.map((one) => (ended.includes(one) ? endedAt(one, now) : one));
  });
  await writeConditions(client, []);
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
  const clock = createServerClock(() => performance.now());
  const client = createClient(await loadKubeconfig(options.kubeconfig, cli.env), undefined, (date) => clock.saw(date));
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
    .option("-n, --namespace <name>", "a namespace whose objects are not decided; can be repeated", namespaceName)
    .option("--all-namespaces", "all of them, for an hour at most")
    .option("--for <duration>", "how long: 1m to 24h", seconds)
    .option("--reason <text>", "why; kept in the record", nonEmpty)
    .option("--end", "end every emergency: switch admission on again; takes no flag of a beginning");
  withClusterOptions(command).action((options: Options) => breakGlass(cli, options));
}
