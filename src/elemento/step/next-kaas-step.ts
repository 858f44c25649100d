import { conditionsOf } from "../../model/kubernetes.ts";
import type { Cluster, ClusterRequest } from "../api/types.ts";
import { FINALIZER } from "../kinds.ts";
import { isOwnName, ownName } from "../own-name.ts";
import { type ElementoCatalog, regionWord } from "../read-elemento-catalog.ts";
import type { Attempts, ElementoObject, KaasSpec } from "../types.ts";
import { checkTarget } from "./check-target.ts";
import { machineLabels } from "./machine-labels.ts";
import { attemptKey, type Moment, openAttempts } from "./pending.ts";
import { removeThings } from "./remove-things.ts";
import { type Decision, info, refusal, type Step, wait, warning } from "./step.ts";

export interface KaasWorld extends Moment {
  readonly clusters: readonly Cluster[];
  /** Whether the kubeconfig's Secret is written as the object requires; true if it requires none. */
  readonly secretWritten: boolean;
  readonly catalog: ElementoCatalog;
}

/** The nodes' network, if the object names none. */
const DEFAULT_CIDR = "192.168.100.0/24";

function clusterRequest(object: ElementoObject<KaasSpec>, catalog: ElementoCatalog): ClusterRequest {
  const { spec, metadata } = object;
  return {
    name: ownName(spec.name, metadata.uid ?? ""),
    place: { provider: spec.provider, region: regionWord(catalog, spec.provider, spec.region) },
    kubernetesVersion: spec.kubernetesVersion,
    controlPlaneHA: spec.controlPlaneHA,
    updatePolicy: spec.updatePolicy,
    billing: spec.billing,
    nodePools: spec.nodePools.map(({ desiredNodes, specs, ...pool }) => ({
      ...pool,
      desiredNodes: desiredNodes ?? pool.minNodes,
      ...specs,
    })),
    network: { cidr: DEFAULT_CIDR, dhcp: true, ...spec.network },
    labels: machineLabels(object),
  };
}

function seenOf(cluster: Cluster | undefined): Record<string, unknown> {
  if (cluster === undefined) return {};
  const { id, state, endpoint, kubernetesVersion } = cluster;
  return {
    ...{ id, state },
    ...(endpoint === null ? {} : { endpoint }),
    ...(kubernetesVersion === "" ? {} : { kubernetesVersion }),
  };
}

interface KaasStepInput {
  readonly object: ElementoObject<KaasSpec>;
  readonly world: KaasWorld;
  readonly own: readonly Cluster[];
  readonly attempts: Attempts;
}

/** Elemento returns no creation date of a cluster, so the one with the recorded id comes first. */
function ownClusters({ status, metadata }: ElementoObject<KaasSpec>, clusters: readonly Cluster[]): Cluster[] {
  const rank = ({ id, state }: Cluster): number => (state === "deleting" ? 2 : id === status?.id ? 0 : 1);
  return clusters
    .filter(({ name }) => isOwnName(name, metadata.uid ?? ""))
    .sort((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id));
}

/** Decides the next step for a cluster, given the object and Elemento's lists. Pure. */
export function nextKaasStep(object: ElementoObject<KaasSpec>, world: KaasWorld): Decision {
  const own = ownClusters(object, world.clusters);
  const attempts = openAttempts(
    object.status?.attempts ?? {},
    own.map(({ name }) => attemptKey("cluster", name)),
    world,
  );
  return { step: stepOf({ object, world, own, attempts }), seen: seenOf(own[0]), attempts };
}

function stepOf(input: KaasStepInput): Step {
  const { object, world, own, attempts } = input;
  const { metadata, spec, status } = object;
  const claimed = metadata.finalizers?.includes(FINALIZER) ?? false;
  if (metadata.deletionTimestamp !== undefined) {
    if (!claimed) return { do: "nothing" };
    const going = own.map(({ id, state }) => ({ what: "cluster" as const, id, going: state === "deleting" }));
    return removeThings({ retain: spec.deletionPolicy === "retain", attempts, stages: [going] });
  }
  if (!claimed) return { do: "claim" };
  const wrong = checkTarget(world.catalog, { provider: spec.provider, service: "kaas" });
  if (wrong) return { do: "refuse", say: wrong };
  const request = clusterRequest(object, world.catalog);
  if (status?.placement === undefined) return { do: "quote-cluster", request };
  const [cluster] = own;
  return cluster === undefined ? build(attempts, request) : keep(input, cluster);
}

function build(attempts: Attempts, request: ClusterRequest): Step {
  if (attempts[attemptKey("cluster", request.name)] !== undefined)
    return wait(info("Creating", "waits for the cluster to be listed"));
  return {
    do: "create",
    things: [{ what: "cluster", request }],
    say: info("Creating", "the cluster is being created"),
  };
}

/** A cluster that never ran contains nothing and is created again. For one that did, someone has to decide. */
function failed(object: ElementoObject<KaasSpec>, { id }: Cluster): Step {
  // Written when the cluster was first ready.
  const hasRun = conditionsOf({ status: object.status ?? {} }).some(({ type }) => type === "InSync");
  if (hasRun) {
    return refusal(
      "ClusterFailed",
      "Elemento reports that the cluster failed: delete this object and create a new one",
    );
  }
  const say = warning("Repairing", "removes a cluster that failed while it was created");
  return { do: "remove", things: [{ what: "cluster", id }], say };
}

function keep({ object, own, world }: KaasStepInput, cluster: Cluster): Step {
  const more = own.slice(1).filter(({ state }) => state !== "deleting");
  if (more.length > 0) {
    const say = warning("RemovingDuplicates", "removes duplicates");
    return { do: "remove", things: more.map(({ id }) => ({ what: "cluster", id })), say, duplicates: true };
  }
  switch (cluster.state) {
    case "running": {
      if (!world.secretWritten) return { do: "kubeconfig", id: cluster.id };
      const { kubernetesVersion: wanted } = object.spec;
      const has = cluster.kubernetesVersion;
      const drift = has === "" || `${has}.`.startsWith(`${wanted}.`) ? [] : [`it runs ${has}, not ${wanted}`];
      return { do: "rest", reason: "Running", message: "the cluster is running", drift, lookAgainMs: null };
    }
    case "error":
      return failed(object, cluster);
    case "unknown":
      return wait(warning("StateUnknown", "Elemento does not report the cluster's state"), 5000);
    default:
      return wait(info(cluster.state === "creating" ? "Creating" : "Updating", `the cluster is ${cluster.state}`));
  }
}
