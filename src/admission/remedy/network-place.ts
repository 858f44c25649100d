import type { Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import type { DecisionRequest } from "../types.ts";
import { placeOfZone } from "./zone-names.ts";

type Fields = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The provider that has networks or subnets with such an id. */
const PROVIDERS: readonly (readonly [id: RegExp, provider: string])[] = [
  [/^(?:subnet|vpc)-[0-9a-f]{1,17}$/, "aws"],
  [/^\/subscriptions\//, "azure"],
  [/(?:^|\/)projects\/|\/subnetworks\//, "gcp"],
];

/** The ids of an existing network. */
function idsOf({ network }: Fields): string[] {
  const existing = isObject(network) && isObject(network["existing"]) ? network["existing"] : {};
  return [existing["subnet"], existing["network"]].map(textOf);
}

/** The place of an existing network, as far as its zone, its ids and the machine type say it. */
function placeOf({ policy: { catalog } }: DecisionRequest, spec: Fields): { provider?: string; region?: string } {
  const ids = idsOf(spec);
  const places = Object.keys(catalog.places);
  const [ofZone, zoneRegion] = (placeOfZone(textOf(spec["zone"]), places) ?? "").split("/");
  const [, region = zoneRegion] = /\/regions\/([a-z0-9-]{1,60})\//.exec(ids.join(" ")) ?? [];
  const ofType = Object.entries(catalog.types ?? {}).find(([, types]) => types.includes(textOf(spec["instanceType"])));
  const ofId = PROVIDERS.find(([form]) => ids.some((id) => form.test(id)))?.[1];
  const provider = [textOf(spec["provider"]), ofId, ofZone, ofType?.[0]].find((one) => one !== undefined && one !== "");
  return { ...(provider === undefined ? {} : { provider }), ...(region === undefined ? {} : { region }) };
}

/** The fields of the place that the object lacks, as far as they are known. */
function knownOf(request: DecisionRequest, spec: Fields): string[] {
  const { provider, region } = placeOf(request, spec);
  const found = { provider, schedulingLocation: region };
  return Object.entries(found).flatMap(([name, value]) =>
    value === undefined || spec[name] !== undefined ? [] : [`${name}: ${value}`],
  );
}

const OF_AWS = /provider: aws\b/;
const AND_SUBNET = "; on AWS, network.existing names its subnet as well, e.g. subnet: subnet-0123456789abcdef0";

const lacksSubnet = ({ network }: Fields): boolean =>
  isObject(network) && isObject(network["existing"]) && network["existing"]["subnet"] === undefined;

/** A denial of an existing network without its place, with what is known of that. */
export function withNetworkPlace(request: DecisionRequest, entry: Denial): Denial {
  const { spec = {} } = request.object;
  if (entry.code !== "POL_NETWORK_UNPINNED" || entry.source !== undefined) return entry;
  const known = knownOf(request, spec);
  const remedy = `write ${known.join(" and ")}`;
  if (known.length === 0) return entry;
  const subnet = OF_AWS.test(remedy) && lacksSubnet(spec) ? AND_SUBNET : "";
  const isWhole = spec["schedulingLocation"] !== undefined || remedy.includes("schedulingLocation: ");
  const region = isWhole ? "" : ", and the region of the network as schedulingLocation";
  return { ...entry, remedy: remedy + region + subnet };
}
