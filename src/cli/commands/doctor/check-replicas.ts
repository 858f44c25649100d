import { ApiError } from "../../../cluster/client/api-error.ts";
import { apiPath } from "../../../cluster/api-path.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { REPLICAS_CONFIGMAP } from "../../../model/names.ts";
import { isHeard, readReport, type ReplicaReport } from "../../../model/replica-report.ts";
import { DAY_SECONDS } from "../../../model/time.ts";
import { type Checked, type Finding, fine, wrong } from "./finding.ts";

const CHECK = "certificates";
const SOON_MS = 14 * DAY_SECONDS * 1000;
/** People renew it, on each server. */
const CLIENT_SOON_MS = 30 * DAY_SECONDS * 1000;
/** A replacement of the CA takes a minute, and up to six if a replica was lost. */
const LONG_MS = 900_000;

function checkReplica(name: string, report: ReplicaReport, nowMs: number): Finding {
  const { problem, registration, until, at } = report;
  const check = `replica ${name}`;
  if (until === "") return wrong(check, "its report cannot be read", "wait: it is written again within 20 s");
  const valid = `serves a certificate that is valid until ${until.slice(0, 10)}`;
  if (!isHeard(report, nowMs))
    return wrong(
      check,
      `was last heard at ${at}`,
      "see whether its Pod runs; the others forget one that is gone after five minutes",
    );
  if (problem !== "")
    return wrong(
      check,
      `not ready: ${problem}`,
      "follow the text; without advice in it, wait a minute, then read the log of this Pod",
    );
  if (registration === "failing")
    return wrong(
      check,
      "cannot read the webhook configurations or put them back",
      "the log of this Pod says why, at `the webhook configurations cannot be read or put back`: a missing right, another admission webhook or policy, a program that writes them all the time, or a full etcd",
    );
  return Date.parse(until) - nowMs < SOON_MS
    ? wrong(check, valid, "read the webhook's log for why it is not renewed, or renew the certificate that you gave")
    : fine(check, valid);
}

/** Whether all replicas decide by the same bundle. A new one reaches them within seconds of each other. */
function checkBundles(reports: readonly (readonly [string, ReplicaReport])[]): Finding[] {
  const bundles = new Set(reports.map(([, { bundle }]) => bundle).filter((one) => one !== ""));
  if (bundles.size < 2) return [];
  const each = reports.map(([name, { bundle }]) => `${name} has ${bundle === "" ? "none" : bundle}`);
  return [
    wrong(
      "bundle",
      `the replicas decide by different bundles: ${each.join(", ")}`,
      "wait a minute while a bundle is published; if it stays so, the log of the replica with the older one says why: `bundle not used` with a code",
    ),
  ];
}

/** Until when the API server's own certificate is valid, if it shows one: nothing can be created afterwards. */
function checkClient(reports: readonly ReplicaReport[], nowMs: number): Finding[] {
  const ends = reports.map(({ clientUntil }) => Date.parse(clientUntil ?? "")).filter((end) => !Number.isNaN(end));
  if (ends.length === 0) return [];
  const end = Math.min(...ends);
  const detail = `shows the webhooks a certificate that is valid until ${new Date(end).toISOString().slice(0, 10)}`;
  return [
    end - nowMs < CLIENT_SOON_MS
      ? wrong(
          "API server",
          detail,
          "renew it before, with the commands in docs/operations/clusters/k3s.md#renew-the-certificate; within an hour after that, the new date is shown",
        )
      : fine("API server", detail),
  ];
}

/** The furthest that a replica knows of the replacement of the CA. */
function checkRotation(reports: readonly ReplicaReport[], nowMs: number): Finding {
  const [latest] = reports
    .map(({ rotation }) => rotation)
    .filter((text) => text !== "")
    .sort((a, b) => timeIn(b) - timeIn(a));
  if (latest === undefined) return fine(CHECK, "no CA is being replaced");
  const detail = `the CA is being replaced: ${latest}`;
  return nowMs - timeIn(latest) > LONG_MS
    ? wrong(
        CHECK,
        detail,
        "bring back what it waits for, or delete the Pod: one that is not heard for five minutes is not waited for",
      )
    : fine(CHECK, detail);
}

/** Of `published since 2026-11-23T08:00:00.000Z, waits …`. */
const timeIn = (rotation: string): number => Date.parse(/since ([^\s,]{1,40})/.exec(rotation)?.[1] ?? "") || 0;

/** The reports of the webhook's replicas: their certificates, their bundles, and whether their CA is being replaced. */
export async function checkReplicas(client: KubeClient, namespace: string, nowMs: number): Promise<Checked> {
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps/${REPLICAS_CONFIGMAP}`;
  try {
    const { data = {} } = (await client.get<Resource>(path)) ?? {};
    const reports = Object.entries(data).map(([name, text]) => [name, readReport(text)] as const);
    const none = fine(CHECK, `no replica reports one in ConfigMap ${namespace}/${REPLICAS_CONFIGMAP}`);
    if (reports.length === 0) return { findings: [none], running: [] };
    const heard = reports.filter(([, report]) => isHeard(report, nowMs));
    const rotations = reports.map(([, report]) => report);
    const running = heard.map(([, report]) => report);
    return {
      findings: [
        ...reports.map(([name, report]) => checkReplica(name, report, nowMs)),
        checkRotation(rotations, nowMs),
        ...checkBundles(heard),
        ...checkClient(running, nowMs),
      ],
      running: heard.map(([name, { version }]) => ({ name, version })),
    };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 403) throw thrown;
    const remedy = `run it with the right to get the ConfigMap ${REPLICAS_CONFIGMAP}`;
    return { findings: [wrong(CHECK, thrown.detail, remedy)], running: [] };
  }
}
