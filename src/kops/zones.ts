import { LandfallError } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
import { nearest } from "../model/text/nearest.ts";
import { CONTINENTS } from "./defaults.ts";
import { isPrivate } from "./control-plane.ts";
import { halvedQuarter, quarter } from "./networks.ts";
import { zonesWithin } from "./schema-limits.ts";
import type { KaasSpec, KopsCatalog, KopsFlags, KopsProvider, Manifest } from "./types.ts";

/** The provider whose machines Elemento sells at a location: `ionos` of `ionos-fr-par`. */
const ownerOf = (location: string): string => location.split("-")[0] ?? "";

const isContinent = (zone: string): boolean => (CONTINENTS as readonly string[]).includes(zone);

/** Throws KOPS_ZONE if Elemento does not have the zone, or the zone belongs to another provider than the decided one. */
function elementoZone(location: string, { zone }: KopsFlags): string {
  // An import that could not determine the location.
  if (location === "" && zone !== null) return zone;
  if (zone === null || zone === ownerOf(location) || isContinent(zone)) return zone ?? ownerOf(location);
  const detail = `${zone} is neither the provider of ${location} nor a continent (${CONTINENTS.join(", ")})`;
  throw new LandfallError("KOPS_ZONE", { detail, correction: `write --zone ${ownerOf(location)}, or omit --zone` });
}

const NAME_ZONES = "write zones of its region, e.g. zones: [eu-west-1a, eu-west-1b], or omit what was decided";

/** The zones of the cluster's subnets; a subnet has the name of its zone. */
export function subnetZones({ provider, schedulingLocation = "", zones = [] }: KaasSpec, flags: KopsFlags): string[] {
  if (provider === "elemento") return [elementoZone(schedulingLocation, flags)];
  if (zones.length === 0)
    throw new LandfallError("KOPS_ZONE", { detail: "the object names no zones", correction: NAME_ZONES });
  return zones;
}

type WrittenSubnet = Record<string, unknown>;

/** Elemento's zone is less precise than its location, so the subnet's region carries the location. */
const elementoSubnet = (zone: string, cidr: string, region: string | undefined): WrittenSubnet => ({
  name: zone,
  cidr,
  ...(region === undefined ? {} : { region }),
  type: "Public",
  zone,
});

/**
 * kOps puts an internal load balancer only into private subnets, and the gateways of these into utility subnets
 * (https://kops.sigs.k8s.io/topology/), which have the names that kOps gives them.
 */
function privateSubnets(zones: readonly string[], nodeCidr: string): WrittenSubnet[] {
  const split = zones.map((zone, index) => ({ zone, cidrs: halvedQuarter(nodeCidr, index) }));
  return [
    ...split.map(({ zone, cidrs: [cidr] }) => ({ name: zone, cidr, type: "Private", zone })),
    ...split.map(({ zone, cidrs: [, cidr] }) => ({ name: `utility-${zone}`, cidr, type: "Utility", zone })),
  ];
}

/** One subnet per zone; two on AWS if the endpoint is private. */
export function subnets(spec: KaasSpec, flags: KopsFlags, nodeCidr: string): WrittenSubnet[] {
  const zones = subnetZones(spec, flags);
  if (spec.provider === "elemento") return zones.map((zone) => elementoSubnet(zone, nodeCidr, spec.schedulingLocation));
  if (isPrivate(spec)) return privateSubnets(zones, nodeCidr);
  return zones.map((zone, index) => ({ name: zone, cidr: quarter(nodeCidr, index), type: "Public", zone }));
}

interface Subnet {
  name: string;
  /** Null if the manifest leaves it to kOps, which looks up shared subnets in AWS. */
  zone: string | null;
  region: string | null;
  isUtility: boolean;
}

const SUBNETS = "write spec.subnets, e.g. subnets: [{name: eu-west-1a, zone: eu-west-1a, type: Public}]";

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** kOps names a subnet like its zone, if it makes the subnet. */
const isZoneName = (name: string, provider: unknown): boolean =>
  provider !== "aws" || /^[a-z]{2}(-[a-z]+)+-\d[a-z]$/.test(name);

/** The subnets of a manifest that its schema accepts. Throws KOPS_SUBNET if there are none or two have the same name. */
export function readSubnets({ metadata, spec }: Manifest): Subnet[] {
  const given = Array.isArray(spec["subnets"]) ? spec["subnets"].filter(isObject) : [];
  const found = given.map(({ name, zone, region, type }) => {
    const called = text(name) ?? "";
    return {
      name: called,
      zone: text(zone) ?? (isZoneName(called, spec["cloudProvider"]) ? called : null),
      region: text(region),
      isUtility: type === "Utility",
    };
  });
  const twice = found.find(({ name }, index) => found.findIndex((one) => one.name === name) !== index);
  const object = `Cluster ${metadata.name ?? ""}`;
  if (found.length === 0)
    throw new LandfallError("KOPS_SUBNET", { object, detail: "has no subnets", correction: SUBNETS });
  if (twice !== undefined)
    throw new LandfallError("KOPS_SUBNET", {
      object,
      detail: `has two subnets of the name ${twice.name}`,
      correction: "write a name of its own for each of spec.subnets",
    });
  return found;
}

/** Throws KOPS_SUBNET if a group names a subnet that the cluster does not have. */
export function checkSubnets(group: Manifest, known: readonly Subnet[]): void {
  const named = Array.isArray(group.spec["subnets"]) ? group.spec["subnets"] : [];
  const missing: string | undefined = named.map(textOf).find((name) => !known.some((subnet) => subnet.name === name));
  if (named.length > 0 && missing === undefined) return;
  const detail =
    missing === undefined ? "names no subnet" : `names the subnet ${missing}, which the cluster does not have`;
  const correction = `write subnets: [${meantSubnets(named.map(textOf), known).join(", ")}]`;
  throw new LandfallError("KOPS_SUBNET", { object: `InstanceGroup ${group.metadata.name ?? ""}`, detail, correction });
}

/** The subnets that a group means: those that there are, and the nearest of the others. All that there are where one is not near to any. */
function meantSubnets(named: readonly string[], known: readonly Subnet[]): string[] {
  const names = known.map(({ name }) => name);
  const meant = named.flatMap((name) => (names.includes(name) ? name : (nearest(name, names) ?? [])));
  const all = [...new Set(meant)];
  return all.length === 0 || all.length < new Set(named).size ? names : all;
}

const twoZones = (region: string): string => `${region}a and ${region}b`;

/** A zone of a region: not a local zone (`us-east-1-bos-1a`) or one of a carrier's network. */
const REGIONAL = /^[a-z]{2}(?:-[a-z]{1,20}){1,3}-\d{1,2}[a-z]$/;

/** The region and zones that a KaasCluster can have; neither where the catalog does not know the region. */
function awsPlace(
  zones: readonly string[],
  regions: readonly string[],
): Pick<KaasSpec, "schedulingLocation" | "zones"> {
  const regional = zones.filter((zone) => REGIONAL.test(zone));
  const found = [...new Set(regional.map((zone) => zone.slice(0, -1)))];
  if (found.length > 1)
    throw new LandfallError("KOPS_ZONE", {
      detail: `${regional.map((zone) => `${zone} is in ${zone.slice(0, -1)}`).join(", ")}, and a cluster is in one AWS region`,
      correction: `write zones of one region in spec.subnets, e.g. ${found.map(twoZones).join(" or ")}`,
    });
  const [region] = found;
  if (region === undefined || !regions.includes(region)) return {};
  return { schedulingLocation: region, zones: zonesWithin(regional) };
}

/** Null if the zone matches several locations: a continent, or a provider with more than one location. */
function elementoLocation(
  { zone, region }: { zone: string; region: string | null },
  regions: readonly string[],
): string | null {
  const found = regions.filter((one) => (region === null ? ownerOf(one) === zone : one === region));
  if (found.length === 0 && (region !== null || !isContinent(zone)))
    throw new LandfallError("KOPS_ZONE", {
      detail: `${region ?? zone} is not a known Elemento location`,
      correction: `write ${region === null ? "the zone" : "a region"} of one that there is: ${[...new Set(region === null ? regions.map(ownerOf) : regions)].join(", ")}`,
    });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The zones of nodes: those of the subnets that are not only for gateways and load balancers. */
function zonesOf(found: readonly Subnet[]): string[] {
  const zones = (some: readonly Subnet[]): string[] => [
    ...new Set(some.flatMap(({ zone }) => (zone === null ? [] : [zone]))),
  ];
  const ofNodes = zones(found.filter(({ isUtility }) => !isUtility));
  return ofNodes.length > 0 ? ofNodes : zones(found);
}

/**
 * The location and, on AWS, the zones of a cluster's subnets. Neither, if kOps has to look up each zone, or the catalog does not know
 * the region. Throws KOPS_ZONE.
 */
export function readPlace(
  cluster: Manifest,
  provider: KopsProvider,
  { regions }: KopsCatalog,
): Pick<KaasSpec, "schedulingLocation" | "zones"> {
  const found = readSubnets(cluster);
  const zones = zonesOf(found);
  if (provider === "aws") return awsPlace(zones, regions.aws);
  const [first] = found;
  if (first === undefined || zones.length > 1)
    throw new LandfallError("KOPS_ZONE", {
      detail: `Elemento takes one zone, not ${zones.join(", ")}`,
      correction: `write one subnet, e.g. of the zone ${zones[0] ?? "ovh"}`,
    });
  const location = elementoLocation({ region: first.region, zone: first.zone ?? first.name }, regions.elemento);
  return location === null ? {} : { schedulingLocation: location };
}
