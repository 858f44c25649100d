import { isObject, textOf } from "../../model/json.ts";
import { isContainerImage, NOT_AN_IMAGE, systemOfImage } from "../../model/places/images.ts";
import { parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { readValue } from "../../model/wrong-value/read/read-value.ts";
import type { FieldProblem, Fields } from "./field-problem.ts";
import { SCHEMAS } from "./schema-denials.ts";

/** An id of EC2: a prefix and hexadecimal digits. AWS writes 8 or 17 of them, what imitates its API other numbers. */
const isEc2Id = (prefix: string, id: string): boolean =>
  id.startsWith(`${prefix}-`) && /^[0-9a-f]{1,17}$/.test(id.slice(prefix.length + 1));

function ec2Id(field: string, prefix: string, id: unknown, lists: string): FieldProblem[] {
  // The policy denies paths, which name an owner (POL_NETWORK_FOREIGN).
  if (typeof id !== "string" || id.includes("/") || isEc2Id(prefix, id)) return [];
  const detail = `${id} is not an id of AWS (${prefix}- and digits from 0 to f)`;
  return [{ field, detail, correction: `write the id that ${lists} shows, e.g. ${prefix}-0123456789abcdef0` }];
}

/** Google Cloud makes a machine only in the region of its subnetwork, which the path of that names. */
function subnetRegion(field: string, subnet: unknown, region: unknown): FieldProblem[] {
  const [, own] = /\/regions\/([a-z0-9-]{1,60})\/subnetworks\//.exec(textOf(subnet)) ?? [];
  if (own === undefined || typeof region !== "string" || own === region) return [];
  const detail = `${textOf(subnet)} lies in ${own}, and the machine in ${region}`;
  return [{ field, detail, correction: `write schedulingLocation: ${own}, or a subnetwork of ${region}` }];
}

/** Addresses in place of the id of a network that exists: they are those of a network of the machine's own. */
function addressesAsId(field: string, existing: Fields): FieldProblem[] {
  const { cidr = {} } = SCHEMAS.VmTemplate.properties?.["network"]?.properties ?? {};
  const name = ["subnet", "network"].find((one) => parseIpv4Network(textOf(existing[one])) !== null);
  const own = name === undefined ? undefined : readValue(cidr, existing[name])?.value;
  if (name === undefined || own === undefined) return [];
  const detail = `${name} ${textOf(existing[name])} is addresses, and not the id of a network that exists`;
  const correction = `remove existing and write cidr: ${textOf(own)} for a network of the machine's own, or name the one that exists by its id`;
  return [{ field, detail, correction }];
}

/** An existing network of AWS has ids, and one of Azure is the ARM id of its subnet. */
function checkNetworkIds({ provider, network, schedulingLocation: region }: Fields): FieldProblem[] {
  const existing = isObject(network) && isObject(network["existing"]) ? network["existing"] : {};
  const field = "spec.network.existing";
  const ofAddresses = addressesAsId(field, existing);
  if (ofAddresses.length > 0) return ofAddresses;
  const { subnet, securityGroups: groups } = existing;
  if (provider === "aws")
    return [
      ...ec2Id(`${field}.subnet`, "subnet", subnet, "aws ec2 describe-subnets"),
      ...ec2Id(`${field}.network`, "vpc", existing["network"], "aws ec2 describe-vpcs"),
      ...(Array.isArray(groups) ? groups : []).flatMap((group: unknown, index) =>
        ec2Id(`${field}.securityGroups[${String(index)}]`, "sg", group, "aws ec2 describe-security-groups"),
      ),
    ];
  if (provider === "gcp") return subnetRegion(`${field}.subnet`, subnet, region);
  if (provider !== "azure" || typeof subnet !== "string" || subnet.startsWith("/subscriptions/")) return [];
  const detail = `${subnet} is not an ARM id (/subscriptions/…)`;
  const correction = "write the output of az network vnet subnet show --query id";
  return [{ field: `${field}.subnet`, detail, correction }];
}

/** The name of an image of Azure's marketplace that lacks parts. */
const isShortUrn = (image: string): boolean => /^[^:/\s]{1,100}(?::[^:/\s]{1,100}){1,2}$/.test(image);

/** At Elemento, an image of one's own may have such a name. */
function checkImage({ image, provider }: Fields): FieldProblem[] {
  if (typeof image !== "string" || provider === "elemento") return [];
  const field = "spec.image";
  if (image.startsWith("ami-")) return ec2Id(field, "ami", image, "aws ec2 describe-images");
  const system = systemOfImage(image);
  if (system !== null)
    return [{ field, detail: `${image} ${NOT_AN_IMAGE}`, correction: `write os: ${system} in its place` }];
  if (provider === "azure" && isShortUrn(image)) {
    const detail = `${image} lacks a part of publisher:offer:sku:version`;
    const correction = "write the Urn that az vm image list shows, e.g. Canonical:ubuntu-24_04-lts:server:latest";
    return [{ field, detail, correction }];
  }
  if (!isContainerImage(image)) return [];
  const detail = `${image} is an image of a container, and a machine starts from an image of its provider`;
  return [{ field, detail, correction: "omit image, and let userData run the container" }];
}

/** Names of existing things that the provider would refuse. */
export const checkReferences = (spec: Fields): FieldProblem[] => [...checkNetworkIds(spec), ...checkImage(spec)];
