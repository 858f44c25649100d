import { LandfallError } from "../errors.ts";
import { CLUSTER_FIELDS, unmappedFields } from "./cluster-fields.ts";
import { controlPlaneMembers } from "./control-plane.ts";
import { isLocal, PROVIDER_DEFAULTS } from "./defaults.ts";
import { CLUSTER_LABEL } from "./labels.ts";
import { merge } from "./merge.ts";
import { groupName } from "./names.ts";
import { POOL_FIELDS } from "./pool-fields.ts";
import {
  type KaasCluster,
  KOPS_API,
  type KopsCatalog,
  type KopsFlags,
  type KopsManifests,
  type Manifest,
} from "./types.ts";
import { subnetZones } from "./zones.ts";

type Fields = Record<string, unknown>;

const manifest = (kind: string, parts: readonly Fields[]): Manifest =>
  merge([{ apiVersion: KOPS_API, kind }, ...parts]) as unknown as Manifest;

/** Fields common to every InstanceGroup of a cluster. */
function group(cluster: string, name: string, parts: readonly Fields[]): Manifest {
  return manifest("InstanceGroup", [{ metadata: { labels: { [CLUSTER_LABEL]: cluster }, name } }, ...parts]);
}

function controlPlane({ spec }: KaasCluster, flags: KopsFlags, cluster: string): Manifest[] {
  const { image, controlPlaneSize } = PROVIDER_DEFAULTS[spec.provider];
  return controlPlaneMembers(spec, subnetZones(spec, flags)).map(({ group: name, zone }) =>
    group(cluster, name, [
      {
        spec: {
          image: flags.image ?? image,
          machineType: flags.controlPlaneSize ?? controlPlaneSize,
          maxSize: 1,
          minSize: 1,
          role: "Master",
          rootVolumeSize: flags.controlPlaneVolumeGiB,
          subnets: [zone],
        },
      },
    ]),
  );
}

function nodes({ spec }: KaasCluster, flags: KopsFlags, cluster: string): Manifest[] {
  const zones = subnetZones(spec, flags);
  const place = spec.provider === "aws" ? (spec.schedulingLocation ?? "") : (zones[0] ?? "");
  const alone = spec.nodePools.length === 1;
  return spec.nodePools.map((pool) => {
    const type = spec.poolInstanceTypes[pool.name] ?? "";
    const fixed = { image: flags.image ?? PROVIDER_DEFAULTS[spec.provider].image, role: "Node", subnets: zones };
    const mapped = POOL_FIELDS.map(({ write }) => write(pool, type));
    return group(cluster, groupName(pool.name, place, alone), [{ spec: fixed }, ...mapped]);
  });
}

function checkVersion({ spec }: KaasCluster, { kubernetesVersion }: KopsFlags): void {
  if (kubernetesVersion === null || kubernetesVersion.startsWith(`${spec.kubernetesVersion}.`)) return;
  const detail = `--kubernetes-version ${kubernetesVersion} is not a patch version of the cluster's ${spec.kubernetesVersion}`;
  throw new LandfallError("CLI_USAGE", { detail });
}

/** kOps refuses names of k8s.local that have DNS records: these were gossip clusters. */
function checkDns({ dns, dnsZone }: KopsFlags): void {
  if (dns === "none" || !isLocal(dnsZone)) return;
  const detail = `--dns ${dns} with --dns-zone ${dnsZone}: kOps 1.37 has no gossip DNS any more; give --dns none, or a zone that you host`;
  throw new LandfallError("CLI_USAGE", { detail });
}

/** Maps a decided KaasCluster to kOps manifests. Pure. Throws KOPS_ZONE, KOPS_NETWORK, CLI_USAGE. */
export function toKops(cluster: KaasCluster, flags: KopsFlags): KopsManifests {
  checkVersion(cluster, flags);
  checkDns(flags);
  const fields = CLUSTER_FIELDS.map(({ write }) => write(cluster, flags));
  const whole = manifest("Cluster", [...fields, unmappedFields(cluster, flags)]);
  const name = whole.metadata.name ?? "";
  const key = flags.sshPublicKey;
  const metadata = { labels: { [CLUSTER_LABEL]: name }, name: "admin" };
  return {
    cluster: whole,
    controlPlane: controlPlane(cluster, flags, name),
    nodes: nodes(cluster, flags, name),
    sshKeys: key === null ? [] : [manifest("SSHCredential", [{ metadata, spec: { publicKey: key } }])],
    others: [],
    additional: [],
  };
}

/** The default image for Arm machines: kOps refuses an image of another architecture. */
export function withImages(manifests: KopsManifests, { machines }: KopsCatalog): KopsManifests {
  const { image } = PROVIDER_DEFAULTS.aws;
  const ofMachine = (group: Manifest): Manifest => {
    const { machineType, image: given } = group.spec;
    const isArm = typeof machineType === "string" && machines.aws[machineType]?.arch === "arm64";
    if (!isArm || given !== image) return group;
    return { ...group, spec: { ...group.spec, image: image.replace("/amd64/", "/arm64/") } };
  };
  return { ...manifests, controlPlane: manifests.controlPlane.map(ofMachine), nodes: manifests.nodes.map(ofMachine) };
}

/** In the order in which kOps prints them. */
export const inOrder = ({ cluster, controlPlane, nodes, sshKeys, others }: KopsManifests): Manifest[] => [
  cluster,
  ...controlPlane,
  ...nodes,
  ...others,
  ...sshKeys,
];
