import { isObject } from "../model/json.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { defaultFlags, LOCAL_ZONE } from "./defaults.ts";
import { GROUP_LABEL } from "./labels.ts";
import { losses, note, type Reasons } from "./losses.ts";
import { unlessEmpty } from "./merge.ts";
import { splitName } from "./names.ts";
import { toKaas } from "./to-kaas.ts";
import { toKops } from "./to-kops.ts";
import type { KaasCluster, KopsCatalog, KopsFlags, KopsManifests, Manifest, Note } from "./types.ts";
import { readSubnets } from "./zones.ts";

const MANAGED = "the provider runs the control plane of a KaasCluster";
const REASONS: Reasons = [
  [/^metadata\.(name|labels)/, "names follow from pools and places"],
  [/^spec\.kubernetesVersion/, "the provider chooses the patch version"],
  [/^spec\.image/, "the provider chooses the image of nodes; an export takes --image"],
  [/^spec\.configBase/, "an export takes --state"],
  [/^spec\.(dnsZone|topology)/, "an export takes --dns-zone and --dns"],
  [/^spec\.(etcdClusters|authorization|iam|kubelet|kubeAPIServer|kubeScheduler|kubeControllerManager)/, MANAGED],
  [/^spec\.kubernetesApiAccess/, "an export takes --admin-access"],
  [/^spec\.sshAccess/, "an export takes --ssh-access"],
  [/^spec\.subnets/, "the chart cuts the nodes' network into subnets, one per zone, and every pool is in all of them"],
  [
    /^spec\.(networking|nonMasqueradeCIDR|podCIDR|serviceClusterIPRange)/,
    "the provider chooses how pods are connected",
  ],
];

/** kOps labels each node with the name of its group. */
function withoutOwnLabel({ nodeLabels, ...spec }: Manifest["spec"], name: string | undefined): object {
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
    ...kept
  } = metadata;
  const others = Object.entries(rest).filter(([key]) => key !== "status");
  return { metadata: kept, spec: withoutOwnLabel(spec, metadata.name), ...Object.fromEntries(others) };
}

const pathOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.name ?? ""} `;

function compared(before: readonly Manifest[], after: readonly Manifest[], reasons: Reasons = REASONS): Note[] {
  return before.flatMap((manifest, index) => {
    const same = after[index];
    const kept = same === undefined ? {} : withoutBookkeeping(same);
    return losses(withoutBookkeeping(manifest), kept, pathOf(manifest), reasons);
  });
}

const whole =
  (reason: string) =>
  (manifest: Manifest): Note =>
    note(`${pathOf(manifest)}spec`, manifest.spec, reason);

/** The flags with which an export gives the same names. */
function flagsOf({ cluster }: KopsManifests, { spec }: KaasCluster): KopsFlags {
  const { zone } = splitName(cluster.metadata.name ?? "", cluster.spec["dnsZone"]);
  const [subnet] = readSubnets(cluster);
  return { ...defaultFlags(zone), zone: spec.provider === "elemento" ? (subnet?.zone ?? null) : null };
}

/** Losses in names, which appear in many fields, are reported once. */
function nameNotes({ cluster }: KopsManifests, { spec }: KaasCluster, { dnsZone, zone }: KopsFlags): Note[] {
  const notes: Note[] = [];
  const { schedulingLocation: location } = spec;
  if (dnsZone !== LOCAL_ZONE)
    notes.push(note(`${pathOf(cluster)}metadata.name`, cluster.metadata.name, `an export takes --dns-zone ${dnsZone}`));
  if (zone !== null && zone !== location?.split("-")[0]) {
    const why =
      location === undefined
        ? "it is not a place; dataResidency can say where the cluster may be"
        : `an export takes --zone ${zone}`;
    notes.push(note(`${pathOf(cluster)}spec.subnets[0].zone`, zone, why));
  }
  return notes;
}

/**
 * Maps kOps manifests to a KaasCluster, and lists what it cannot express (found by exporting it again). Pure. Throws
 * KOPS_PROVIDER, KOPS_SUBNET, KOPS_ZONE, KOPS_MACHINE, KOPS_FIELD.
 */
export function importCluster(manifests: KopsManifests, catalog: KopsCatalog): { cluster: KaasCluster; notes: Note[] } {
  const cluster = toKaas(manifests, catalog);
  const flags = flagsOf(manifests, cluster);
  const again = toKops(cluster, flags);
  const notes = [
    ...nameNotes(manifests, cluster, flags),
    ...compared([manifests.cluster], [again.cluster]),
    ...compared(manifests.controlPlane, again.controlPlane, [[/./, MANAGED]]),
    ...compared(manifests.nodes, again.nodes),
    ...manifests.others.map(whole("a KaasCluster has pools of nodes alone")),
    ...manifests.sshKeys.map(whole("the nodes of a KaasCluster have no logins; give --ssh-public-key to an export")),
  ];
  return { cluster, notes };
}
