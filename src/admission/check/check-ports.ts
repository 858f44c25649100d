import { enclosingNetwork, parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import type { FieldProblem } from "./field-problem.ts";

type Fields = Record<string, unknown>;

/** The network of a rule without any. */
const ANYWHERE = "0.0.0.0/0";

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** An address and a prefix length without host bits. */
export const isNetwork = (cidr: string): boolean => parseIpv4Network(cidr)?.hostBits === false;

/** Host bits are the usual mistake: the network that holds the address is then known. */
export function noNetwork(field: string, cidr: string): FieldProblem {
  const network = enclosingNetwork(cidr);
  const correction =
    network === null ? "write four numbers from 0 to 255 and a prefix length, e.g. 10.0.0.0/16" : `write ${network}`;
  return { field, detail: `${cidr} is not an IPv4 network`, correction };
}

const fieldOf = (index: number): string => `spec.ports[${String(index)}]`;

function lowRange(field: string, { port, toPort }: Fields): FieldProblem {
  const detail = `${String(toPort)} lies below port ${String(port)}`;
  return { field: `${field}.toPort`, detail, correction: "write the lower number as port" };
}

function networkProblems(field: string, { cidrs }: Fields): FieldProblem[] {
  const bad = texts(cidrs).find((cidr) => !isNetwork(cidr));
  if (bad !== undefined) return [noNetwork(`${field}.cidrs`, bad)];
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
  const detail = `opens port ${String(ports[index]?.["port"])} to ${networkIn(shared)}, as ${fieldOf(before)} does`;
  if (own.some((rule) => !first.includes(rule)))
    return [{ field, detail, correction: `remove ${networkIn(shared)} from one of them` }];
  return [{ field, detail, correction: "remove it", patch: [{ op: "remove", path: `/spec/ports/${String(index)}` }] }];
}

/** What is wrong with the entries of `spec.ports`. */
export function checkPorts(ports: readonly Fields[]): FieldProblem[] {
  const [again] = ports.flatMap((_open, index) => repeated(ports, index));
  const problems = ports.flatMap((open, index) => {
    const range = Number(open["toPort"] ?? open["port"]) < Number(open["port"]) ? [lowRange(fieldOf(index), open)] : [];
    return [...range, ...networkProblems(fieldOf(index), open)];
  });
  // The patch of the second would remove another entry than it names after that of the first.
  return again === undefined ? problems : [...problems, again];
}
