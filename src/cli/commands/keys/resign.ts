import type { Command } from "commander";
import { apiPath } from "../../../cluster/api-path.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { createEventRecorder, type EventRecorder } from "../../../cluster/create-event-recorder.ts";
import { readUser } from "../../../cluster/client/read-user.ts";
import { messageOf } from "../../../errors.ts";
import { createDecisionIndex } from "../../../external-data/decision-index.ts";
import { decisionEventOf } from "../../../external-data/secret-event.ts";
import { ringAt } from "../../../keys/key-entries.ts";
import { signDecision, signingTime } from "../../../model/decision-annotation/signature.ts";
import { PART_OF_LANDFALL, ANNOTATION } from "../../../model/names.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { repeated } from "../../options/repeated.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { writeResult } from "../../output/write-result.ts";
import { judgeSignature, type SignContext } from "./judge-signature.ts";
import { type DecidedObject, type KeyCluster, withCluster } from "./open-cluster.ts";
import { resignRecords } from "./resign-records.ts";
import { resignShards } from "./resign-shards.ts";
import { nowSeconds } from "../../../model/time.ts";

interface ResignFlags extends ClusterFlags, OutputFlags {
  lost?: string[];
  reason: string;
  dryRun?: boolean;
}

async function contextOf(cluster: KeyCluster, lost: readonly string[]): Promise<SignContext> {
  const { keys } = await cluster.keys();
  const owners = createDecisionIndex();
  for (const secret of await cluster.secrets()) {
    const event = decisionEventOf(secret, false);
    if (event !== null) owners.apply(event);
  }
  return { ring: ringAt(keys, nowSeconds()), lost: new Set(lost), owners };
}

async function sign({ client }: KeyCluster, { object, path }: DecidedObject, { ring }: SignContext): Promise<void> {
  const { uid: id = "", resourceVersion, annotations = {} } = object.metadata;
  const at = signingTime(ring, object, nowSeconds());
  const seal = signDecision(ring, object, annotations[ANNOTATION.decision] ?? "", { use: "uid", at, id });
  await client.patch(path, "merge", { metadata: { resourceVersion, annotations: { [ANNOTATION.seal]: seal } } });
}

interface Planned extends DecidedObject {
  /** The key that signed it before. */
  from: string;
}

/** Writes who signs what, when and why, before it is done and where tenants cannot write: a ConfigMap of Landfall's namespace. */
async function writeRecord({ client, systemNamespace }: KeyCluster, data: Record<string, string>): Promise<string> {
  const metadata = { generateName: "landfall-signed-again-", namespace: systemNamespace, labels: PART_OF_LANDFALL };
  const path = apiPath`/api/v1/namespaces/${systemNamespace}/configmaps`;
  const made = await client.create<Resource>(path, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  return made.metadata.name ?? "";
}

const nameOf = ({ kind, metadata }: Resource): string => `${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** The objects that can be signed; why others cannot is said. */
function plan(cli: Cli, objects: readonly DecidedObject[], context: SignContext): Planned[] {
  return objects.flatMap((decided) => {
    const judgement = judgeSignature(decided.object, context);
    if (judgement.do === "skip") cli.note(`skipped ${nameOf(decided.object)}: ${judgement.why}\n`);
    return judgement.do === "sign" ? [{ ...decided, from: judgement.from }] : [];
  });
}

const forRecord = ({ object: { kind, metadata }, from }: Planned) => {
  const { namespace, name, uid } = metadata;
  return { kind, namespace, name, uid, from };
};

/** A recorder of Events, and what waits until they are written. */
function openRecorder({ client }: KeyCluster): { record: EventRecorder; written: () => Promise<unknown> } {
  const events: Promise<unknown>[] = [];
  const create: KubeClient["create"] = (...args) => {
    const made = client.create<never>(...args);
    events.push(made.catch(() => undefined));
    return made;
  };
  const record = createEventRecorder({ ...client, create }, { component: "landfall-keys", nowMs: Date.now });
  return { record, written: () => Promise.all(events) };
}

interface Signing {
  planned: readonly Planned[];
  context: SignContext;
  /** Who, and why. */
  by: string;
}

/** Signs what is planned. Returns how many could not be signed. */
async function signAll(cli: Cli, cluster: KeyCluster, { planned, context, by }: Signing): Promise<number> {
  const { record, written } = openRecorder(cluster);
  let failed = 0;
  for (const one of planned) {
    try {
      await sign(cluster, one, context);
      const message = `signed with key ${context.ring[0].id} instead of ${one.from}, by ${by}`;
      record(one.object, { type: "Normal", reason: "DecisionSigned", message });
    } catch (thrown) {
      failed += 1;
      cli.note(`failed ${nameOf(one.object)}: ${messageOf(thrown)}\n`);
    }
  }
  await written();
  return failed;
}

interface Resigned {
  key: string;
  objects: ReturnType<typeof forRecord>[];
  records: string[];
  /** Of the ledger of reservations. */
  shards: string[];
  /** False if they were only listed. */
  written: boolean;
  failed: number;
}

function show(cli: Cli, { output }: OutputFlags, result: Resigned): void {
  const { key, objects, records, shards, written, failed } = result;
  const lines = objects.map(
    ({ kind, namespace = "", name = "", from }) => `signed ${kind} ${namespace}/${name}, before by key ${from}\n`,
  );
  const total = `${String(objects.length)} objects, ${String(records.length)} records and ${String(shards.length)} shards of the ledger`;
  const rest = failed > 0 ? `, but ${String(failed)} failed` : "";
  writeResult(
    cli,
    output,
    result,
    () => `${lines.join("")}${total} ${written ? "" : "would be "}signed with key ${key}${rest}\n`,
  );
}

async function resign(cli: Cli, flags: ResignFlags): Promise<void> {
  const { lost = [], reason, dryRun = false } = flags;
  await withCluster(cli, flags, async (cluster) => {
    const [user, context] = await Promise.all([readUser(cluster.client), contextOf(cluster, lost)]);
    const key = context.ring[0].id;
    const planned = plan(cli, await cluster.objects(), context);
    const records = await resignRecords(cluster, context, false);
    const shards = await resignShards(cluster, context, false);
    const signed = { key, objects: planned.map(forRecord), records, shards };
    if (dryRun || planned.length + records.length + shards.length === 0) {
      show(cli, flags, { ...signed, written: false, failed: 0 });
      return;
    }
    const lists = {
      objects: JSON.stringify(signed.objects),
      records: JSON.stringify(records),
      shards: JSON.stringify(shards),
    };
    const about = { user, at: new Date().toISOString(), reason, key, lost: lost.join(",") };
    const name = await writeRecord(cluster, { ...about, ...lists });
    cli.note(`recorded in ConfigMap ${cluster.systemNamespace}/${name}\n`);
    const failed = await signAll(cli, cluster, { planned, context, by: `${user}: ${reason}` });
    await resignRecords(cluster, context, true);
    await resignShards(cluster, context, true);
    show(cli, flags, { ...signed, written: true, failed });
    if (failed > 0) cli.exit(EXIT.denied);
  });
}

/** `landfall keys resign`: signs decisions again that older keys signed, and after a loss those of lost keys. */
export function addResign(keys: Command, cli: Cli): void {
  withClusterOptions(
    withOutput(keys.command("resign")).description(
      "Sign decisions and records again with the newest key. Changes nothing else.",
    ),
  )
    .requiredOption("--reason <text>", "for the Events and the record")
    .option(
      "--lost <id>",
      "also sign what this lost key signed, where a recorded release confirms the place; repeat for several keys",
      repeated,
    )
    .option("--dry-run", "only show what would be signed")
    .action((flags: ResignFlags) => resign(cli, flags));
}
