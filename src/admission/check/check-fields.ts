import type { Denial } from "../../model/decision.ts";
import { isObject, textOf } from "../../model/json.ts";
import { isPublicKey } from "../../model/formats/ssh-key.ts";
import { denial } from "./denial.ts";
import { placeOfRegion } from "../../model/wrong-value/read-place.ts";
import { checkReferences, type FieldProblem } from "./check-references.ts";
import { enclosingNetwork, parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { reservedFor } from "../../model/formats/reserved-networks.ts";

/** The network of a rule without any. */
const ANYWHERE = "0.0.0.0/0";

/** An address and a prefix length without host bits. */
const isNetwork = (cidr: string): boolean => parseIpv4Network(cidr)?.hostBits === false;

/** Host bits are the usual mistake: the network that holds the address is then known. */
function noNetwork(field: string, cidr: string, example: string): FieldProblem {
  const network = enclosingNetwork(cidr);
  const correction =
    network === null
      ? `write four numbers from 0 to 255 and a prefix length from 0 to 32, e.g. ${example}`
      : `write ${network}`;
  return { field, detail: `${cidr} is not an IPv4 network`, correction };
}

const fieldOf = (index: number): string => `spec.ports[${String(index)}]`;

function lowRange(field: string, { port, toPort }: Fields): FieldProblem {
  const detail = `${textOf(toPort)} lies below port ${textOf(port)}`;
  const correction = `write port: ${textOf(toPort)} and toPort: ${textOf(port)}`;
  return { field: `${field}.toPort`, detail, correction };
}

function networkProblems(field: string, { cidrs }: Fields): FieldProblem[] {
  const bad = texts(cidrs).findIndex((cidr) => !isNetwork(cidr));
  if (bad >= 0) return [noNetwork(`${field}.cidrs[${String(bad)}]`, texts(cidrs)[bad] ?? "", "203.0.113.0/24")];
  if (!Array.isArray(cidrs) || cidrs.length > 0) return [];
  const correction = "write the networks that may connect, e.g. cidrs: [203.0.113.0/24], or remove the line for all";
  return [{ field: `${field}.cidrs`, detail: "[] is empty, and would open the port to all networks", correction }];
}

/** The rule of a firewall that an entry gives for one network. */
const ruleOf = ({ port, toPort = port, protocol = "tcp" }: Fields, cidr: string): string =>
  JSON.stringify([port, toPort, protocol, cidr]);

const rulesOf = (open: Fields): string[] =>
  (open["cidrs"] === undefined ? [ANYWHERE] : texts(open["cidrs"])).map((cidr) => ruleOf(open, cidr));

const networkIn = (rule: string): string => (JSON.parse(rule) as string[])[3] ?? ANYWHERE;

/** An entry that gives a rule again: AWS refuses a security group with two equal rules. */
function repeated(ports: readonly Fields[], index: number): FieldProblem[] {
  const own = rulesOf(ports[index] ?? {});
  const field = fieldOf(index);
  const twice = own.find((rule, at) => own.indexOf(rule) !== at);
  if (twice !== undefined)
    return [
      { field: `${field}.cidrs`, detail: `has ${networkIn(twice)} twice`, correction: "write each network once" },
    ];
  const before = ports.slice(0, index).findIndex((one) => rulesOf(one).some((rule) => own.includes(rule)));
  if (before < 0) return [];
  const first = rulesOf(ports[before] ?? {});
  const shared = own.find((rule) => first.includes(rule)) ?? "[]";
  const detail = `opens port ${textOf(ports[index]?.["port"])} to ${networkIn(shared)}, as ${fieldOf(before)} does`;
  if (own.some((rule) => !first.includes(rule)))
    return [{ field, detail, correction: `remove ${networkIn(shared)} from one of them` }];
  return [{ field, detail, correction: "remove it", patch: [{ op: "remove", path: `/spec/ports/${String(index)}` }] }];
}

/** The problems of the entries of `spec.ports`. */
function checkPorts(ports: readonly Fields[]): FieldProblem[] {
  const [again] = ports.flatMap((_open, index) => repeated(ports, index));
  const problems = ports.flatMap((open, index) => {
    const range = Number(open["toPort"] ?? open["port"]) < Number(open["port"]) ? [lowRange(fieldOf(index), open)] : [];
    return [...range, ...networkProblems(fieldOf(index), open)];
  });
  // The patch of the second would remove another entry than it names after that of the first.
  return again === undefined ? problems : [...problems, again];
}

type Fields = Record<string, unknown>;

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

function checkNames(spec: Fields): FieldProblem[] {
  const names = texts(list(spec["disks"]).map((entry) => entry["name"]));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined
    ? []
    : [
        {
          field: "spec.disks",
          detail: `the name ${twice} is used twice`,
          correction: "give each disk a name of its own",
        },
      ];
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
    const reserved = reservedFor(cidr, spec["nodePools"] !== undefined && (spec["provider"] ?? "azure") === "azure");
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
function checkZone({ zone, schedulingLocation: region }: Fields): FieldProblem[] {
  if (typeof zone !== "string" || placeOfRegion(zone) === null) return [];
  const instead =
    region === undefined ? `write schedulingLocation: ${zone} in its place` : "omit zone: Landfall chooses one";
  return [{ field: "spec.zone", detail: `${zone} is a region, and not a zone of one`, correction: instead }];
}

/** Checks that JSON Schema cannot express: contradicting fields, duplicate names, invalid networks. */
export function checkFields(spec: Fields): Denial[] {
  const problems = [
    ...checkPorts(list(spec["ports"])),
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
