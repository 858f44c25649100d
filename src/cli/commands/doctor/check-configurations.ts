import type { X509Certificate } from "node:crypto";
import { certificatesIn } from "../../../cluster/client/certificates-in.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { isObject, textOf } from "../../../model/json.ts";
import { EMERGENCY_CONDITION } from "../../../model/emergency.ts";
import { WEBHOOK_CONFIGURATIONS } from "../../webhook-configurations.ts";
import { type Finding, fine, wrong } from "./finding.ts";

const WRITE =
  "a webhook that is ready writes them within 5 s, unless annotation landfall.dev/webhooks-suspended of its namespace keeps it: see the log of landfall-webhook";
const MONTH_MS = 30 * 24 * 3600 * 1000;

type Fields = Record<string, unknown>;

function addressOf(client: Fields): string {
  const { service } = client;
  if (!isObject(service)) return textOf(client["url"]);
  return `Service ${textOf(service["namespace"])}/${textOf(service["name"])}:${JSON.stringify(service["port"] ?? 443)}`;
}

function readBundle(bundle: unknown): X509Certificate[] {
  try {
    return certificatesIn(Buffer.from(textOf(bundle), "base64").toString());
  } catch {
    return [];
  }
}

function checkBundle(check: string, client: Fields, nowMs: number): Finding {
  const ends = readBundle(client["caBundle"]).map((one) => one.validToDate.getTime());
  if (ends.length === 0) return wrong(check, "caBundle holds no certificate", WRITE);
  const valid = ends.filter((one) => one > nowMs);
  // One that has ended may stay next to others. Of these, the first to end may be that of the replicas.
  const end = valid.length > 0 ? Math.min(...valid) : Math.max(...ends);
  const until = `${ends.length > 1 ? "the first of its CAs" : "the CA"} is valid until ${new Date(end).toISOString().slice(0, 10)}`;
  const remedy = "run `landfall certificates rotate --reason TEXT`, or renew the certificates that you gave";
  return end - nowMs < MONTH_MS ? wrong(check, until, remedy) : fine(check, until);
}

const isEmpty = (value: unknown): boolean => !isObject(value) || Object.keys(value).length === 0;

/** Whether admission is switched off for some namespaces. */
function checkEmergency(check: string, webhook: Fields): Finding[] {
  const conditions: unknown[] = Array.isArray(webhook["matchConditions"]) ? webhook["matchConditions"] : [];
  const found = conditions.find((one) => isObject(one) && one["name"] === EMERGENCY_CONDITION);
  if (!isObject(found)) return [];
  const detail = `admission is off but for requests with ${textOf(found["expression"])}`;
  return [wrong(check, detail, "wait for the end of the emergency, or end it with landfall break-glass --end")];
}

function checkWebhook(check: string, webhook: Fields, nowMs: number): Finding[] {
  const client = isObject(webhook["clientConfig"]) ? webhook["clientConfig"] : {};
  const policy = textOf(webhook["failurePolicy"]);
  const called = `${addressOf(client)}, failurePolicy ${policy}, ${textOf(webhook["timeoutSeconds"])} s`;
  const selected = ["namespaceSelector", "objectSelector"].filter((key) => !isEmpty(webhook[key]));
  return [
    policy === "Fail"
      ? fine(check, called)
      : wrong(check, called, "set webhook.failurePolicy=Fail: with Ignore, objects are created without a decision"),
    ...(selected.length === 0
      ? []
      : [
          wrong(
            check,
            `${selected.join(" and ")} may exclude objects`,
            "find who adds it (`kubectl get --show-managed-fields`), and stop that; on AKS, webhook.allowSelectors=true leaves it",
          ),
        ]),
    ...checkEmergency(check, webhook),
    checkBundle(check, client, nowMs),
  ];
}

/** Whether both webhook configurations are there, whom they call, and until when their CA is valid. */
export async function checkConfigurations(client: KubeClient, nowMs: number): Promise<Finding[]> {
  const found = WEBHOOK_CONFIGURATIONS.map(async (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const webhooks: unknown = (await client.get<Fields>(path))?.["webhooks"];
    const [webhook] = Array.isArray(webhooks) ? (webhooks as unknown[]) : [];
    if (!isObject(webhook)) return [wrong(name, "there is no such configuration", WRITE)];
    return checkWebhook(name, webhook, nowMs);
  });
  return (await Promise.all(found)).flat();
}
