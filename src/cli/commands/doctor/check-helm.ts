import { apiPath } from "../../../cluster/api-path.ts";
import { hasStatus } from "../../../cluster/client/api-error.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { CONTROLLER_LEASE, HELM_BY_ANNOTATION } from "../../../model/names.ts";
import { type Finding, fine } from "./finding.ts";

const CHECK = "helm";

/** How the controller that leads calls helm, as it wrote into its Lease. */
export async function checkHelm(client: KubeClient, namespace: string): Promise<Finding> {
  const path = apiPath`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${CONTROLLER_LEASE}`;
  try {
    const lease = await client.get<Resource & { spec?: { holderIdentity?: string } }>(path);
    const holder = lease?.spec?.holderIdentity ?? "";
    if (holder === "") return fine(CHECK, `no controller holds the Lease ${namespace}/${CONTROLLER_LEASE}`);
    const by = lease?.metadata.annotations?.[HELM_BY_ANNOTATION] ?? "program";
    return fine(CHECK, `${holder} changes releases by its ${by}`);
  } catch (thrown) {
    if (!hasStatus(thrown, 403)) throw thrown;
    return fine(CHECK, "not known: it needs the right to get Leases");
  }
}
