import { apiPath } from "../../../cluster/api-path.ts";
import { hasStatus } from "../../../cluster/client/api-error.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import type { LeaseObject } from "../../../cluster/elect-leader.ts";
import { CONTROLLER_LEASE, HELM_BY_ANNOTATION } from "../../../model/names.ts";
import { type Finding, fine, wrong } from "./finding.ts";

const CHECK = "helm";

/** A leader that did not renew its Lease for so many times its duration is gone: clocks differ. */
const GONE_TIMES = 3;

/** The finding about the holder of a Lease. */
function ofHolder(namespace: string, { metadata, spec = {} }: LeaseObject, nowMs: number): Finding {
  const { holderIdentity: holder = "", renewTime = "", leaseDurationSeconds = 15 } = spec;
  const remedy = `see \`kubectl -n ${namespace} get pods\`, and the log of landfall-controller`;
  if (holder === "")
    return wrong(CHECK, `no controller holds the Lease ${namespace}/${CONTROLLER_LEASE}: nothing is installed`, remedy);
  if (nowMs - Date.parse(renewTime) > GONE_TIMES * leaseDurationSeconds * 1000)
    return wrong(CHECK, `${holder} leads, and was last heard at ${renewTime}: nothing is installed`, remedy);
  return fine(CHECK, `${holder} changes releases by its ${metadata.annotations?.[HELM_BY_ANNOTATION] ?? "program"}`);
}

/** How the controller that leads calls helm, as it wrote into its Lease. Without a leader, nothing is confirmed, installed, or ended. */
export async function checkHelm(client: KubeClient, namespace: string, nowMs: number): Promise<Finding> {
  const path = apiPath`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${CONTROLLER_LEASE}`;
  try {
    const lease = await client.get<LeaseObject>(path);
    return lease === null
      ? fine(CHECK, `no controller has held the Lease ${namespace}/${CONTROLLER_LEASE}: another one installs`)
      : ofHolder(namespace, lease, nowMs);
  } catch (thrown) {
    if (!hasStatus(thrown, 403)) throw thrown;
    return fine(CHECK, "not known: it needs the right to get Leases");
  }
}
