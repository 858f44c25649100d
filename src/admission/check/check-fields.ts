import type { Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { isPublicKey } from "../../model/formats/ssh-key.ts";
import { checkPorts } from "./check-ports.ts";
import { denial } from "./denial.ts";
import { type FieldProblem, type Fields, isNetwork, list, noNetwork } from "./field-problem.ts";
import { placeOfRegion } from "../../model/wrong-value/read/read-place.ts";
import { checkReferences } from "./check-references.ts";
import { overlaps, parseIpv4Network } from "../../model/formats/ipv4-network.ts";

/** Networks that no machine has addresses of (RFC 6890, table 1; RFC 5771): name and network. */
const SPECIAL: readonly (readonly [what: string, network: string])[] = [
  ["this network", "0.0.0.0/8"],
  ["loopback", "127.0.0.0/8"],
  ["link-local", "169.254.0.0/16"],
  ["multicast", "224.0.0.0/4"],
  ["reserved", "240.0.0.0/4"],
];

/**
 * Networks that AKS keeps for itself: https://learn.microsoft.com/azure/aks/configure-kubenet#prerequisites; a creation with another one fails
 * (Azure/AKS, issues 731 and 2234).
 */
const OF_AKS: readonly (readonly [what: string, network: string])[] = [
  ["reserved by AKS", "172.30.0.0/16"],
  ["reserved by AKS", "172.31.0.0/16"],
  ["reserved by AKS", "192.0.2.0/24"],
];

/** An address of Azure itself, which no network there has: https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq. */
const OF_AZURE: readonly (readonly [what: string, network: string])[] = [["Azure's own address", "168.63.129.16/32"]];

/** Networks that Azure keeps for itself, of an object that can be placed there. */
function keptByAzure({ provider = "azure", nodePools }: Fields): typeof OF_AZURE {
  if (provider !== "azure") return [];
  return nodePools === undefined ? OF_AZURE : [...OF_AZURE, ...OF_AKS];
}

/** Why no network of this spec can have these addresses, as the end of a sentence; null if one can. */
function reservedFor(cidr: string, spec: Fields): string | null {
  const network = parseIpv4Network(cidr);
  const found = [...SPECIAL, ...keptByAzure(spec)].find(([, whole]) => {
    const reserved = parseIpv4Network(whole);
    return network !== null && reserved !== null && overlaps(network, reserved);
  });
  return found === undefined ? null : `overlaps ${found[1]}, which is ${found[0]}`;
}

function checkNames(spec: Fields): FieldProblem[] {
  const names = list(spec["disks"]).map((entry) => entry["name"]);
  return names.flatMap((name, index) => {
    if (typeof name !== "string" || names.indexOf(name) === index) return [];
    const field = `spec.disks[${String(index)}].name`;
    const correction = `write another name, e.g. name: ${freeName(name, index, names)}`;
    return [{ field, detail: `another disk has the name ${name}`, correction }];
  });
}

/** The first free name of `data-2`, `data-3` and so on, from the position of the disk, within the length of names. */
function freeName(name: string, position: number, names: readonly unknown[]): string {
  const all = Array.from(
    { length: names.length + 1 },
    (_one, more) => `${name.slice(0, 17)}-${String(position + 1 + more)}`,
  );
  return all.find((one) => !names.includes(one)) ?? name;
}

/** Networks that do not overlap. */
const EXAMPLES = {
  cidr: "10.0.0.0/16",
  nodeCidr: "10.0.0.0/16",
  podCidr: "10.64.0.0/14",
  serviceCidr: "172.20.0.0/16",
};

function checkNetwork(spec: Fields): FieldProblem[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const problems: FieldProblem[] = [];
  for (const [field, example] of Object.entries(EXAMPLES)) {
    const cidr = network[field];
    if (typeof cidr !== "string") continue;
    const reserved = reservedFor(cidr, spec);
    if (!isNetwork(cidr)) problems.push(noNetwork(`spec.network.${field}`, cidr, example));
    else if (reserved !== null)
      problems.push({
        field: `spec.network.${field}`,
        detail: `${cidr} ${reserved}`,
        correction: `write another network, e.g. ${field}: ${example}`,
      });
  }
  if (isObject(network["existing"]) && network["cidr"] !== undefined) {
    const detail = "is for the machine's own network, and network.existing names another";
    problems.push({ field: "spec.network.cidr", detail, correction: "remove cidr or existing" });
  }
  return problems;
}

/** The smallest fast disk that every provider offers (AWS: io2 from 4 GiB). */
const SMALLEST_PREMIUM_GIB = 4;

function checkDisks(spec: Fields): FieldProblem[] {
  const small = list(spec["disks"]).findIndex(
    ({ type, sizeGiB }) => type === "premium" && Number(sizeGiB) < SMALLEST_PREMIUM_GIB,
  );
  const least = String(SMALLEST_PREMIUM_GIB);
  const problem: FieldProblem = {
    field: `spec.disks[${String(small)}].sizeGiB`,
    detail: `a premium disk has at least ${least} GiB`,
    correction: `write sizeGiB: ${least} or more, or type: balanced`,
  };
  return small < 0 ? [] : [problem];
}

/** AWS's limit is 16 KiB before base64. The machine may be placed there, so the limit applies everywhere. */
const USER_DATA_BYTES = 16_384;
/**
 * The size of the chart's wrapper if a provider takes user data and key as one
 * (charts/vmtemplate/templates/_cloud-init.tpl).
 */
const WRAPPING_BYTES = 448;

function checkUserData(spec: Fields): FieldProblem[] {
  const { userData, sshPublicKey: key, provider = "aws" } = spec;
  if (typeof userData !== "string") return [];
  const wrapped = typeof key === "string" && provider === "aws";
  const limit = USER_DATA_BYTES - (wrapped ? WRAPPING_BYTES + Buffer.byteLength(key) : 0);
  const bytes = Buffer.byteLength(userData);
  if (bytes <= limit) return [];
  const withKey = wrapped ? " with an SSH key" : "";
  const detail = `has ${String(bytes)} bytes in UTF-8; the limit${withKey} is ${String(limit)}`;
  return [{ field: "spec.userData", detail, correction: "let it download what is large" }];
}

/** Providers refuse such a key, and a machine with it has no login. */
function checkKey({ sshPublicKey: key }: Fields): FieldProblem[] {
  if (typeof key !== "string" || isPublicKey(key)) return [];
  const [type = ""] = key.split(" ");
  const detail = `the text after ${type} is not a whole key of this type`;
  return [{ field: "spec.sshPublicKey", detail, correction: "write the one line of your .pub file as it is" }];
}

/** Regions have names of other forms than their zones. */
function checkZone({ zone, zones, schedulingLocation: region }: Fields): FieldProblem[] {
  const field = Array.isArray(zones) ? "zones" : "zone";
  const given: readonly unknown[] = Array.isArray(zones) ? zones : [zone];
  const wrong = given.find((one) => typeof one === "string" && placeOfRegion(one) !== null);
  if (typeof wrong !== "string") return [];
  const what = given.length > 1 ? "zones" : field === "zones" ? "the zones" : "one";
  const instead =
    region === undefined && given.length === 1
      ? `write schedulingLocation: ${wrong} in its place`
      : `omit ${field}: Landfall chooses ${what}`;
  return [{ field: `spec.${field}`, detail: `${wrong} is a region, and not a zone of one`, correction: instead }];
}

/** Checks that JSON Schema cannot express: contradicting fields, duplicate names, invalid networks. */
export function checkFields(spec: Fields): Denial[] {
  const problems = [
    ...checkPorts(spec),
    ...checkDisks(spec),
    ...checkReferences(spec),
    ...checkNames(spec),
    ...checkNetwork(spec),
    ...checkKey(spec),
    ...checkZone(spec),
    ...checkUserData(spec),
  ];
  return problems.map(({ field, patch, ...texts }) => {
    const made = denial("ADM_FIELDS", { field }, texts);
    return patch === undefined ? made : { ...made, patch };
  });
}
