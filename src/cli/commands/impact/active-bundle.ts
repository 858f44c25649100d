import { apiPath } from "../../../cluster/api-path.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { LandfallError } from "../../../errors.ts";
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

/** The reference that the cluster's webhook follows; null without such a Deployment. */
async function followed(client: KubeClient, namespace: string): Promise<string | null> {
  const webhook = await client.get<Deployment>(
    apiPath`/apis/apps/v1/namespaces/${namespace}/deployments/landfall-webhook`,
  );
  const args = webhook?.spec?.template?.spec?.containers?.flatMap((container) => container.args ?? []) ?? [];
  return args.find((arg) => arg.startsWith(FLAG))?.slice(FLAG.length) ?? null;
}

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
