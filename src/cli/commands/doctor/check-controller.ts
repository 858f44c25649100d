import { apiPath } from "../../../cluster/api-path.ts";
import { hasStatus } from "../../../cluster/client/api-error.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import type { LeaseObject } from "../../../cluster/elect-leader.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import {
  CONTROLLER_LEASE,
  HELM_BY_ANNOTATION,
  RELEASE_CONFIGMAP,
  SCHEDULE_LEASE,
  VERSION_ANNOTATION,
} from "../../../model/names.ts";
import { type Checked, type Finding, fine, wrong } from "./finding.ts";

const CHECK = "controller";

/** A leader that did not renew its Lease for so many times its duration is gone: clocks differ. */
const GONE_TIMES = 3;

const renewedAt = ({ spec }: LeaseObject): number => Date.parse(spec?.renewTime ?? "") || 0;

/** The Lease of the controller that installs, or under Krateo of the one that only starts: that which was renewed last. */
async function readLease(client: KubeClient, namespace: string): Promise<LeaseObject | null> {
  const read = [CONTROLLER_LEASE, SCHEDULE_LEASE].map((name) =>
    client.get<LeaseObject>(apiPath`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`),
  );
  const [latest = null] = (await Promise.all(read))
    .filter((lease) => lease !== null)
    .sort((a, b) => renewedAt(b) - renewedAt(a));
  return latest;
}

/** How the holder of a Lease works. */
const described = ({ metadata, spec }: LeaseObject): string =>
  metadata.name === SCHEDULE_LEASE
    ? `${spec?.holderIdentity ?? ""} leads, and starts objects: Krateo installs them`
    : `${spec?.holderIdentity ?? ""} leads, and changes releases by its ${metadata.annotations?.[HELM_BY_ANNOTATION] ?? "program"}`;

/** The finding about the holder of a Lease. */
function ofHolder(lease: LeaseObject, remedy: string, nowMs: number): Finding {
  const { holderIdentity: holder = "", renewTime = "", leaseDurationSeconds = 15 } = lease.spec ?? {};
  if (holder === "")
    return wrong(CHECK, `no controller holds the Lease ${lease.metadata.name ?? ""}: nothing is installed`, remedy);
  if (nowMs - renewedAt(lease) > GONE_TIMES * leaseDurationSeconds * 1000)
    return wrong(CHECK, `${holder} leads, and was last heard at ${renewTime}: nothing is installed`, remedy);
  return fine(CHECK, described(lease));
}

/** No controller has led: with the chart, one should. Without it, a controller may run alone. */
async function withoutLease(client: KubeClient, namespace: string, remedy: string): Promise<Finding> {
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps/${RELEASE_CONFIGMAP}`;
  return (await client.get<Resource>(path)) === null
    ? fine(
        CHECK,
        `none has held a Lease in ${namespace}, and the chart is not installed there: one without --leader-elect may run`,
      )
    : wrong(CHECK, `none has held a Lease in ${namespace} since the installation: nothing is installed`, remedy);
}

/** The controller that leads, as it wrote into its Lease. Without a leader, nothing is confirmed, installed, or ended. */
export async function checkController(client: KubeClient, namespace: string, nowMs: number): Promise<Checked> {
  const remedy = `see \`kubectl -n ${namespace} get pods\`, and \`kubectl -n ${namespace} logs deployment/landfall-controller\``;
  try {
    const lease = await readLease(client, namespace);
    if (lease === null) return { findings: [await withoutLease(client, namespace, remedy)], running: [] };
    const finding = ofHolder(lease, remedy, nowMs);
    const version = lease.metadata.annotations?.[VERSION_ANNOTATION] ?? "";
    const name = `controller ${lease.spec?.holderIdentity ?? ""}`;
    return { findings: [finding], running: finding.remedy === null ? [{ name, version }] : [] };
  } catch (thrown) {
    if (!hasStatus(thrown, 403)) throw thrown;
    return { findings: [fine(CHECK, "not known: it needs the right to get Leases and ConfigMaps")], running: [] };
  }
}
