import { describe } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { NAME_LIMIT } from "../model/names.ts";
import { armNotes, flagNotes, importFlags, versionNotes } from "./import-flags.ts";
import { clusterWithDefaults, groupWithDefaults } from "./kops-defaults.ts";
import { CLUSTER_LABEL, GROUP_LABEL, POOL_LABEL } from "./labels.ts";
import { CLUSTER_REASONS, CONTROL_PLANE_REASONS, GROUP_REASONS } from "./losses/import-reasons.ts";
import { losses, note, type Reasons } from "./losses/losses.ts";
import { unlessEmpty } from "./merge.ts";
import { isForEks } from "../model/formats/eks-services.ts";
import { providerOf, toKaas } from "./to-kaas.ts";
import { toKops, withImages } from "./to-kops.ts";
import type { KaasCluster, KaasSpec, KopsCatalog, KopsFlags, KopsManifests, Manifest, Note } from "./types.ts";
import { readSubnets } from "./zones.ts";

/** kOps labels each node with the name of its group. */
function withoutOwnLabel({ nodeLabels, ...spec }: Manifest["spec"], name: string | undefined): Manifest["spec"] {
  if (!isObject(nodeLabels) || nodeLabels[GROUP_LABEL] !== name)
    return nodeLabels === undefined ? spec : { ...spec, nodeLabels };
  const { [GROUP_LABEL]: _own, ...labels } = nodeLabels;
  return { ...spec, nodeLabels: unlessEmpty(labels) };
}

/** Fields that kOps or an API server writes into the manifest. */
function withoutBookkeeping({ metadata, spec, ...rest }: Manifest): object {
  const {
    creationTimestamp: _created,
    generation: _generation,
    resourceVersion: _version,
    uid: _uid,
    labels = {},
    ...kept
  } = metadata;
  const { [CLUSTER_LABEL]: _cluster, [POOL_LABEL]: _pool, ...ownLabels } = labels;
  const others = Object.entries(rest).filter(([key]) => key !== "status");
  return {
    metadata: { ...kept, labels: unlessEmpty(ownLabels) },
    spec: withoutOwnLabel(spec, metadata.name),
    ...Object.fromEntries(others),
  };
}

const pathOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.name ?? ""} `;

function compared(before: readonly Manifest[], after: readonly Manifest[], reasons: Reasons): Note[] {
  return before.flatMap((manifest, index) => {
    const same = after[index];
    const kept = same === undefined ? {} : withoutBookkeeping(same);
    const comparison = { at: pathOf(manifest), reasons, additions: same !== undefined };
    return losses(withoutBookkeeping(manifest), kept, comparison);
  });
}

/** Admission refuses longer names: a release's name has the object's in it. */
function nameNotes({ name }: KaasCluster): Note[] {
  const reason = `a KaasCluster's name has at most ${String(NAME_LIMIT)} characters; write a shorter one before you apply it`;
  return name.length > NAME_LIMIT ? [note("metadata.name", name, reason)] : [];
}

/** The range of services is kOps's, which a managed cluster cannot always have. */
function rangeNotes({ spec: { provider, network } }: KaasCluster): Note[] {
  const value = network?.serviceCidr;
  if (provider !== "aws" || value === undefined || isForEks(value)) return [];
  return [
    {
      code: "KOPS_SERVICE_RANGE",
      path: "spec.network.serviceCidr",
      value,
      ...describe("KOPS_SERVICE_RANGE", { value }),
    },
  ];
}

/** Members of the control plane that only the export has. */
const added = (before: readonly Manifest[], after: readonly Manifest[]): Note[] =>
  after
    .slice(before.length)
    .map((group) => note(`${pathOf(group)}spec`, undefined, CONTROL_PLANE_REASONS[0]?.[1] ?? "", group.spec));

const whole =
  (reason: string) =>
  (manifest: Manifest): Note =>
    note(`${pathOf(manifest)}spec`, manifest.spec, reason);

const withDefaults = (given: KopsManifests): KopsManifests => {
  const provider = providerOf(given);
  const cluster = clusterWithDefaults(given.cluster, provider);
  const group = (manifest: Manifest): Manifest => groupWithDefaults(manifest, cluster, provider);
  return { ...given, cluster, controlPlane: given.controlPlane.map(group), nodes: given.nodes.map(group) };
};

/** The manifests of an export. A cluster without a place has the subnets of the input, so that these do not differ. */
function exportedAgain(given: KopsManifests, cluster: KaasCluster, flags: KopsFlags): KopsManifests {
  const { zones, provider } = cluster.spec;
  if (provider !== "aws" || zones !== undefined) return toKops(cluster, flags);
  const names = readSubnets(given.cluster).map(({ name }) => name);
  const spec: KaasSpec = { ...cluster.spec, zones: names };
  const again = toKops({ ...cluster, spec }, flags);
  const { subnets } = given.cluster.spec;
  return { ...again, cluster: { ...again.cluster, spec: { ...again.cluster.spec, subnets } } };
}

/**
 * Maps kOps manifests to a KaasCluster, and lists what it cannot express (found by exporting it again, and comparing with
 * the manifests and kOps's defaults). Pure. Throws KOPS_PROVIDER, KOPS_SUBNET, KOPS_ZONE, KOPS_MACHINE, KOPS_FIELD,
 * KOPS_NETWORK.
 */
export function importCluster(given: KopsManifests, catalog: KopsCatalog): { cluster: KaasCluster; notes: Note[] } {
  const manifests = withDefaults(given);
  const cluster = toKaas(manifests, catalog);
  const flags = importFlags(manifests, cluster);
  const again = withImages(exportedAgain(manifests, cluster, flags), catalog);
  const notes = [
    ...nameNotes(cluster),
    ...rangeNotes(cluster),
    ...flagNotes(manifests, cluster, flags),
    ...armNotes(manifests, cluster, catalog),
    ...versionNotes(manifests, cluster, catalog),
    ...compared([manifests.cluster], [again.cluster], CLUSTER_REASONS),
    ...compared(manifests.controlPlane, again.controlPlane, CONTROL_PLANE_REASONS),
    ...added(manifests.controlPlane, again.controlPlane),
    ...compared(manifests.nodes, again.nodes, GROUP_REASONS),
    ...manifests.others.map(whole("a KaasCluster has pools of nodes alone")),
    ...manifests.sshKeys.map(whole("the nodes of a KaasCluster have no logins; give --ssh-public-key to an export")),
    ...manifests.additional.map((object) =>
      note(
        pathOf(object).trim(),
        object.apiVersion,
        "a KaasCluster does not hold other objects; apply it to the cluster itself",
      ),
    ),
  ];
  return { cluster, notes };
}
