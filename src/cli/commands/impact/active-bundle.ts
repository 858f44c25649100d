import { apiPath } from "../../../cluster/api-path.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { LandfallError } from "../../../errors.ts";
import { readBundleReport, REPORT_KEY } from "../../../model/bundle-format/bundle-report.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { BUNDLES_CONFIGMAP } from "../../../model/names.ts";
import { lastPushed } from "../../options/last-pushed.ts";

/** The bundle that decides now. */
export interface ActiveBundle {
  ref: string;
  /** How that is known. */
  because: string;
}

/** The parts of a Deployment that are read. */
interface Deployment {
  spec?: { template?: { spec?: { containers?: { args?: string[] }[] } } };
}

const FLAG = "--bundle=";

/** The reference in the arguments of the webhook's Deployment; null without one. */
async function deployed(client: KubeClient, namespace: string): Promise<string | null> {
  const webhook = await client.get<Deployment>(
    apiPath`/apis/apps/v1/namespaces/${namespace}/deployments/landfall-webhook`,
  );
  const args = webhook?.spec?.template?.spec?.containers?.flatMap((container) => container.args ?? []) ?? [];
  return args.find((arg) => arg.startsWith(FLAG))?.slice(FLAG.length) ?? null;
}

/** The reference that the webhook reports to follow; null without a report: outside of a cluster it has no Deployment. */
async function reported(client: KubeClient, namespace: string): Promise<string | null> {
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps/${BUNDLES_CONFIGMAP}`;
  const kept = await client.get<Pick<Resource, "data">>(path);
  return readBundleReport(kept?.data?.[REPORT_KEY])?.follows ?? null;
}

const followed = async (client: KubeClient, namespace: string): Promise<string | null> =>
  (await deployed(client, namespace)) ?? (await reported(client, namespace));

/**
 * The bundle that a new one is compared with if none is named: the reference that the cluster's webhook follows, or the bundle that
 * was pushed last from the working folder. Never the sources in it, which are being edited. Throws CLI_NO_ACTIVE.
 */
export async function activeBundle(client: KubeClient | null, systemNamespace: string): Promise<ActiveBundle> {
  const ref = client === null ? null : await followed(client, systemNamespace);
  if (ref !== null) return { ref, because: "which the cluster's webhook follows" };
  const pushed = await lastPushed();
  if (pushed !== null) return { ref: pushed, because: "which was pushed last from this folder" };
  throw new LandfallError("CLI_NO_ACTIVE", {});
}
