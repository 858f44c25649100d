import { isObject, textOf } from "../model/json.ts";
import { defaultFlags, isLocal, LOCAL_ZONE } from "./defaults.ts";
import { note } from "./losses/losses.ts";
import { splitName } from "./names.ts";
import type { KaasCluster, KopsCatalog, KopsFlags, KopsManifests, Manifest, Note } from "./types.ts";
import { readSubnets } from "./zones.ts";
import { table } from "../model/table.ts";

const DNS: Readonly<Record<string, KopsFlags["dns"]>> = table({ None: "none", Public: "public", Private: "private" });

/** The kind of DNS that an export can have: kOps 1.37 serves no names of k8s.local. */
function dnsOf({ spec: { topology } }: Manifest, flags: KopsFlags): KopsFlags["dns"] {
  const dns = isObject(topology) && isObject(topology["dns"]) ? topology["dns"] : {};
  return isLocal(flags.dnsZone) ? "none" : (DNS[textOf(dns["type"])] ?? flags.dns);
}

/** The flags with which an export gives the same names. */
export function importFlags({ cluster }: KopsManifests, { spec }: KaasCluster): KopsFlags {
  const { zone: dnsZone } = splitName(cluster.metadata.name ?? "", cluster.spec["dnsZone"]);
  const [subnet] = readSubnets(cluster);
  const flags = defaultFlags(dnsZone);
  const zone = spec.provider === "elemento" ? (subnet?.zone ?? null) : null;
  return { ...flags, dns: dnsOf(cluster, flags), zone };
}

const NO_ZONE =
  "no subnet has a zone, because kOps looks them up in AWS; set schedulingLocation and zones to keep the place";

function nameNotes({ metadata }: Manifest, { dnsZone, dns }: KopsFlags): Note[] {
  const wanted = [
    ...(dnsZone === LOCAL_ZONE ? [] : [`--dns-zone ${dnsZone}`]),
    ...(dns === defaultFlags(dnsZone).dns ? [] : [`--dns ${dns}`]),
  ];
  const name = metadata.name ?? "";
  return wanted.length === 0
    ? []
    : [note(`Cluster/${name} metadata.name`, name, `an export takes ${wanted.join(" ")}`)];
}

function zoneNotes({ metadata }: Manifest, location: string | undefined, zone: string): Note[] {
  if (zone === location?.split("-")[0]) return [];
  const why =
    location === undefined
      ? "it is not a place; dataResidency can say where the cluster may be"
      : `an export takes --zone ${zone}`;
  return [note(`Cluster/${metadata.name ?? ""} spec.subnets[0].zone`, zone, why)];
}

const NO_REGION =
  "its zones are of no region that Landfall knows; set schedulingLocation and zones, or the decision chooses them";

function placeNotes({ metadata, spec }: Manifest): Note[] {
  const hasZone = readSubnets({ metadata, spec } as Manifest).some(({ zone }) => zone !== null);
  return [note(`Cluster/${metadata.name ?? ""} spec.subnets`, spec["subnets"], hasZone ? NO_REGION : NO_ZONE)];
}

/** EKS takes subnets in two zones at least: https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html. */
const LEAST_ZONES = 2;

/** A cluster of kOps may lie in one zone, which admission denies of EKS (POL_ZONE). */
function fewZones(
  { metadata }: Manifest,
  { zones = [], provider, schedulingLocation = "" }: KaasCluster["spec"],
): Note[] {
  if (provider !== "aws" || zones.length === 0 || zones.length >= LEAST_ZONES) return [];
  const why = `EKS takes 2 to 4 zones; add another of ${schedulingLocation} to spec.zones, or remove it to have them chosen`;
  return [note(`Cluster/${metadata.name ?? ""} spec.subnets`, zones, why)];
}

/** A version that its provider does not offer, or no longer supports, which admission denies (POL_KUBERNETES_VERSION, POL_KUBERNETES_ENDED). */
export function versionNotes(
  { cluster: { metadata } }: KopsManifests,
  { spec: { provider, kubernetesVersion } }: KaasCluster,
  { kubernetes, today }: KopsCatalog,
): Note[] {
  const ends = kubernetes[provider];
  const end = Object.hasOwn(ends, kubernetesVersion) ? ends[kubernetesVersion] : undefined;
  if (end === null || (end !== undefined && end >= today)) return [];
  const offered = Object.keys(ends).filter((version) => (ends[version] ?? today) >= today);
  const what = end === undefined ? `${provider} does not offer it` : `${provider} supported it until ${end}`;
  const why = `${what}; write kubernetesVersion: ${offered.map((version) => JSON.stringify(version)).join(" or ")}, or remove it to have it chosen`;
  return [note(`Cluster/${metadata.name ?? ""} spec.kubernetesVersion`, kubernetesVersion, why)];
}

/** A pool of a managed cluster has machines of x86, so admission denies the type of a group with others (POL_INSTANCE_TYPE). */
export function armNotes({ nodes }: KopsManifests, { spec }: KaasCluster, { machines }: KopsCatalog): Note[] {
  const why = "pools have machines of x86; choose another type, or remove poolInstanceTypes to have them chosen";
  return spec.nodePools.flatMap(({ name }, index) => {
    const type = spec.poolInstanceTypes[name] ?? "";
    if (machines[spec.provider][type]?.arch !== "arm64") return [];
    return [note(`InstanceGroup/${nodes[index]?.metadata.name ?? name} spec.machineType`, type, why)];
  });
}

/** Losses in names, which appear in many fields, are reported once, and so is a place that is not in the manifests. */
export function flagNotes({ cluster }: KopsManifests, { spec }: KaasCluster, flags: KopsFlags): Note[] {
  const { schedulingLocation: location, provider } = spec;
  const isLost = provider === "aws" && location === undefined;
  return [
    ...nameNotes(cluster, flags),
    ...(isLost ? placeNotes(cluster) : []),
    ...fewZones(cluster, spec),
    ...(flags.zone === null ? [] : zoneNotes(cluster, location, flags.zone)),
  ];
}
