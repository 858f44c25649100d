import type { Denial } from "../../model/decision.ts";
import { parseIpv4Network } from "../../model/ipv4-network.ts";
import { isObject } from "../../model/json.ts";
import { denial } from "./denial.ts";

type Fields = Record<string, unknown>;
type Problem = [field: string, detail: string];

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** An address and a prefix length without host bits. */
const isNetwork = (cidr: string): boolean => parseIpv4Network(cidr)?.hostBits === false;

function checkPorts(spec: Fields): Problem[] {
  return list(spec["ports"]).flatMap((open, index) => {
    const field = `spec.ports[${String(index)}]`;
    const problems: Problem[] = [];
    if (Number(open["toPort"] ?? open["port"]) < Number(open["port"]))
      problems.push([`${field}.toPort`, "lies below port"]);
    const bad = texts(open["cidrs"]).find((cidr) => !isNetwork(cidr));
    return bad === undefined ? problems : [...problems, [`${field}.cidrs`, `${bad} is not an IPv4 network`] as Problem];
  });
}

function checkNames(spec: Fields): Problem[] {
  const names = texts(list(spec["disks"]).map((entry) => entry["name"]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? [] : [["spec.disks", `the name ${twice} is used twice`]];
}

function checkNetwork(spec: Fields): Problem[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const problems: Problem[] = [];
  for (const field of ["cidr", "podCidr", "serviceCidr", "nodeCidr"]) {
    const cidr = network[field];
    if (typeof cidr === "string" && !isNetwork(cidr))
      problems.push([`spec.network.${field}`, `${cidr} is not an IPv4 network`]);
  }
  if (isObject(network["existing"]) && network["cidr"] !== undefined) {
    problems.push(["spec.network.cidr", "is for the machine's own network, and network.existing names another"]);
  }
  return problems;
}

/** The smallest fast disk that every provider offers (AWS: io2 from 4 GiB). */
const SMALLEST_PREMIUM_GIB = 4;

function checkDisks(spec: Fields): Problem[] {
  const small = list(spec["disks"]).findIndex(
    ({ type, sizeGiB }) => type === "premium" && Number(sizeGiB) < SMALLEST_PREMIUM_GIB,
  );
  const detail = `a premium disk has at least ${String(SMALLEST_PREMIUM_GIB)} GiB`;
  return small < 0 ? [] : [[`spec.disks[${String(small)}].sizeGiB`, detail]];
}

/** An existing subnet of Azure is an ARM id; for other providers any id. */
function checkSubnet(spec: Fields): Problem[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const subnet = isObject(network["existing"]) ? network["existing"]["subnet"] : undefined;
  if (spec["provider"] !== "azure" || typeof subnet !== "string" || subnet.startsWith("/subscriptions/")) return [];
  return [["spec.network.existing.subnet", `${subnet} is not an ARM id (/subscriptions/…)`]];
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
  return [["spec.userData", `has ${String(bytes)} bytes in UTF-8; the limit${withKey} is ${String(limit)}`]];
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
  return problems.map(([field, detail]) => denial("ADM_FIELDS", { field }, { detail }));
}
