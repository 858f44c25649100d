import type { Denial } from "../../model/decision.ts";
import { enclosingNetwork, parseIpv4Network } from "../../model/ipv4-network.ts";
import { isObject } from "../../model/json.ts";
import { denial } from "./denial.ts";

type Fields = Record<string, unknown>;
type Problem = [field: string, detail: string, correction: string];

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** An address and a prefix length without host bits. */
const isNetwork = (cidr: string): boolean => parseIpv4Network(cidr)?.hostBits === false;

/** Host bits are the usual mistake: the network that holds the address is then known. */
function noNetwork(field: string, cidr: string): Problem {
  const network = enclosingNetwork(cidr);
  const correction =
    network === null ? "write four numbers from 0 to 255 and a prefix length, e.g. 10.0.0.0/16" : `write ${network}`;
  return [field, `${cidr} is not an IPv4 network`, correction];
}

function lowRange(field: string, { port, toPort }: Fields): Problem {
  return [`${field}.toPort`, `${String(toPort)} lies below port ${String(port)}`, "write the lower number as port"];
}

function checkPorts(spec: Fields): Problem[] {
  return list(spec["ports"]).flatMap((open, index) => {
    const field = `spec.ports[${String(index)}]`;
    const problems: Problem[] = [];
    if (Number(open["toPort"] ?? open["port"]) < Number(open["port"])) problems.push(lowRange(field, open));
    const bad = texts(open["cidrs"]).find((cidr) => !isNetwork(cidr));
    return bad === undefined ? problems : [...problems, noNetwork(`${field}.cidrs`, bad)];
  });
}

function checkNames(spec: Fields): Problem[] {
  const names = texts(list(spec["disks"]).map((entry) => entry["name"]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined
    ? []
    : [["spec.disks", `the name ${twice} is used twice`, "give each disk a name of its own"]];
}

function checkNetwork(spec: Fields): Problem[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const problems: Problem[] = [];
  for (const field of ["cidr", "podCidr", "serviceCidr", "nodeCidr"]) {
    const cidr = network[field];
    if (typeof cidr === "string" && !isNetwork(cidr)) problems.push(noNetwork(`spec.network.${field}`, cidr));
  }
  if (isObject(network["existing"]) && network["cidr"] !== undefined) {
    const detail = "is for the machine's own network, and network.existing names another";
    problems.push(["spec.network.cidr", detail, "remove cidr or existing"]);
  }
  return problems;
}

/** The smallest fast disk that every provider offers (AWS: io2 from 4 GiB). */
const SMALLEST_PREMIUM_GIB = 4;

function checkDisks(spec: Fields): Problem[] {
  const small = list(spec["disks"]).findIndex(
    ({ type, sizeGiB }) => type === "premium" && Number(sizeGiB) < SMALLEST_PREMIUM_GIB,
  );
  const least = String(SMALLEST_PREMIUM_GIB);
  const problem: Problem = [
    `spec.disks[${String(small)}].sizeGiB`,
    `a premium disk has at least ${least} GiB`,
    `write sizeGiB: ${least} or more, or type: balanced`,
  ];
  return small < 0 ? [] : [problem];
}

/** An existing subnet of Azure is an ARM id; for other providers any id. */
function checkSubnet(spec: Fields): Problem[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const subnet = isObject(network["existing"]) ? network["existing"]["subnet"] : undefined;
  if (spec["provider"] !== "azure" || typeof subnet !== "string" || subnet.startsWith("/subscriptions/")) return [];
  const correction = "write the output of az network vnet subnet show --query id";
  return [["spec.network.existing.subnet", `${subnet} is not an ARM id (/subscriptions/…)`, correction]];
}

/** AWS's limit is 16 KiB before base64. The machine may be placed there, so the limit applies everywhere. */
const USER_DATA_BYTES = 16_384;
/**
 * The size of the chart's wrapper if a provider takes user data and key as one
 * (charts/vmtemplate/templates/_cloud-init.tpl).
 */
const WRAPPING_BYTES = 448;

function checkUserData(spec: Fields): Problem[] {
  const { userData, sshPublicKey: key, provider = "aws" } = spec;
  if (typeof userData !== "string") return [];
  const wrapped = typeof key === "string" && provider === "aws";
  const limit = USER_DATA_BYTES - (wrapped ? WRAPPING_BYTES + Buffer.byteLength(key) : 0);
  const bytes = Buffer.byteLength(userData);
  if (bytes <= limit) return [];
  const withKey = wrapped ? " with an SSH key" : "";
  const detail = `has ${String(bytes)} bytes in UTF-8; the limit${withKey} is ${String(limit)}`;
  return [["spec.userData", detail, "let it download what is large"]];
}

/** Checks that JSON Schema cannot express: contradicting fields, duplicate names, invalid networks. */
export function checkFields(spec: Fields): Denial[] {
  const problems = [
    ...checkPorts(spec),
    ...checkDisks(spec),
    ...checkSubnet(spec),
    ...checkNames(spec),
    ...checkNetwork(spec),
    ...checkUserData(spec),
  ];
  return problems.map(([field, detail, correction]) => denial("ADM_FIELDS", { field }, { detail, correction }));
}
