import { ApiError } from "../../../cluster/client/api-error.ts";
import { apiPath } from "../../../cluster/api-path.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { REPLICAS_CONFIGMAP } from "../../../model/names.ts";
import { readReport, type ReplicaReport } from "../../../model/replica-report.ts";
import { DAY_SECONDS } from "../../../model/time.ts";
import { type Finding, fine, wrong } from "./finding.ts";

const CHECK = "certificates";
const SOON_MS = 14 * DAY_SECONDS * 1000;
/** A replacement of the CA takes a minute, and up to six if a replica was lost. */
const LONG_MS = 900_000;

function checkReplica(name: string, { problem, until }: ReplicaReport, nowMs: number): Finding {
  const check = `${CHECK}: ${name}`;
  if (until === "") return wrong(check, "its report cannot be read", "wait: it is written again within 20 s");
  const valid = `serves a certificate that is valid until ${until.slice(0, 10)}`;
  if (problem !== "")
    return wrong(check, `not ready: ${problem}`, "wait a minute; if it stays so, read the log of this Pod");
  return Date.parse(until) - nowMs < SOON_MS
    ? wrong(check, valid, "read the webhook's log for why it is not renewed, or renew the certificate that you gave")
    : fine(check, valid);
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

/** The reports of the webhook's replicas about their certificates, and whether their CA is being replaced. */
export async function checkCertificates(client: KubeClient, namespace: string, nowMs: number): Promise<Finding[]> {
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps/${REPLICAS_CONFIGMAP}`;
  try {
    const { data = {} } = (await client.get<Resource>(path)) ?? {};
    const reports = Object.entries(data).map(([name, text]) => [name, readReport(text)] as const);
    if (reports.length === 0)
      return [fine(CHECK, `no replica reports one in ConfigMap ${namespace}/${REPLICAS_CONFIGMAP}`)];
    const replicas = reports.map(([name, report]) => checkReplica(name, report, nowMs));
    return [
      ...replicas,
      checkRotation(
        reports.map(([, report]) => report),
        nowMs,
      ),
    ];
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 403) throw thrown;
    return [wrong(CHECK, thrown.detail, `run it with the right to get the ConfigMap ${REPLICAS_CONFIGMAP}`)];
  }
}
