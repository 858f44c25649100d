import type { Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { isPublicKey } from "../../model/formats/ssh-key.ts";
import { checkPorts, isNetwork, noNetwork } from "./check-ports.ts";
import { denial } from "./denial.ts";
import type { FieldProblem } from "./field-problem.ts";

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

function checkNetwork(spec: Fields): FieldProblem[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const problems: FieldProblem[] = [];
  for (const field of ["cidr", "podCidr", "serviceCidr", "nodeCidr"]) {
    const cidr = network[field];
    if (typeof cidr === "string" && !isNetwork(cidr)) problems.push(noNetwork(`spec.network.${field}`, cidr));
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

/** An existing subnet of Azure is an ARM id; for other providers any id. */
function checkSubnet(spec: Fields): FieldProblem[] {
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const subnet = isObject(network["existing"]) ? network["existing"]["subnet"] : undefined;
  if (spec["provider"] !== "azure" || typeof subnet !== "string" || subnet.startsWith("/subscriptions/")) return [];
  const detail = `${subnet} is not an ARM id (/subscriptions/…)`;
  const correction = "write the output of az network vnet subnet show --query id";
  return [{ field: "spec.network.existing.subnet", detail, correction }];
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

/** Checks that JSON Schema cannot express: contradicting fields, duplicate names, invalid networks. */
export function checkFields(spec: Fields): Denial[] {
  const problems = [
    ...checkPorts(list(spec["ports"])),
    ...checkDisks(spec),
    ...checkSubnet(spec),
    ...checkNames(spec),
    ...checkNetwork(spec),
    ...checkKey(spec),
    ...checkUserData(spec),
  ];
  return problems.map(({ field, patch, ...texts }) => {
    const made = denial("ADM_FIELDS", { field }, texts);
    return patch === undefined ? made : { ...made, patch };
  });
}
