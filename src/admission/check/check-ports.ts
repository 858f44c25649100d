import { parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { textOf } from "../../model/json.ts";
import type { Denial } from "../../model/decision.ts";
import { denial } from "./denial.ts";
import { type FieldProblem, type Fields, isNetwork, list, noNetwork, texts } from "./field-problem.ts";

/** The network of a rule without any. */
const ANYWHERE = "0.0.0.0/0";

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

/** The rules of a firewall that an entry gives: one for each network. */
const rulesOf = (open: Fields): string[] =>
  (open["cidrs"] === undefined ? [ANYWHERE] : texts(open["cidrs"])).map((cidr) => ruleOf(open, cidr));

const networkIn = (rule: string): string => (JSON.parse(rule) as string[])[3] ?? ANYWHERE;

/** An entry that gives a rule again: AWS refuses a security group with two equal rules. `rules`: those of each entry. */
function repeated(open: Fields, rules: readonly (readonly string[])[], index: number): FieldProblem[] {
  const listed = rules[index] ?? [];
  const own = new Set(listed);
  const field = fieldOf(index);
  const twice = own.size < listed.length ? listed.find((rule, at) => listed.indexOf(rule) !== at) : undefined;
  if (twice !== undefined)
    return [
      { field: `${field}.cidrs`, detail: `has ${networkIn(twice)} twice`, correction: "write each network once" },
    ];
  const before = rules.slice(0, index).findIndex((one) => one.some((rule) => own.has(rule)));
  if (before < 0) return [];
  const first = new Set(rules[before]);
  const shared = listed.find((rule) => first.has(rule)) ?? "[]";
  const detail = `opens port ${textOf(open["port"])} to ${networkIn(shared)}, as ${fieldOf(before)} does`;
  if (listed.some((rule) => !first.has(rule)))
    return [{ field, detail, correction: `remove ${networkIn(shared)} from one of them` }];
  return [{ field, detail, correction: "remove it", patch: [{ op: "remove", path: `/spec/ports/${String(index)}` }] }];
}

/**
 * Networks of one entry that lie in another one of it: Azure refuses the rule (OverlappingSubnetsNotPermittedInSecurityRule). Who writes a
 * network next to all addresses may mean either.
 */
function overlapping({ cidrs }: Fields, index: number): FieldProblem[] {
  const all = texts(cidrs);
  const spans = all.flatMap((cidr) => parseIpv4Network(cidr) ?? []);
  if (spans.length < all.length || spans.some(({ hostBits }) => hostBits)) return [];
  // Whether all addresses of the first network are among those of the second.
  const liesIn = (inner: number, outer: number): boolean => {
    const [one, other] = [spans[inner], spans[outer]];
    if (all[inner] === all[outer] || one === undefined || other === undefined) return false;
    return other.first <= one.first && one.last <= other.last;
  };
  const isInner = (at: number): boolean => all.some((_other, other) => liesIn(at, other));
  const inner = all.filter((_cidr, at) => isInner(at));
  const [first] = inner;
  if (first === undefined) return [];
  const outer = all.includes(ANYWHERE) ? ANYWHERE : all.find((_other, at) => liesIn(all.indexOf(first), at));
  const field = `${fieldOf(index)}.cidrs`;
  const detail = `${first} lies in ${textOf(outer)}, and Azure takes no networks that overlap in one entry`;
  const named = inner.join(" and ");
  if (outer === ANYWHERE)
    return [
      {
        field,
        detail,
        correction: `remove ${outer} to open the port to ${named} alone, or ${named} to leave it open to all`,
      },
    ];
  const patch = all
    .flatMap((cidr, at) => (inner.includes(cidr) ? [at] : []))
    .reverse()
    .map((at) => ({ op: "remove" as const, path: `/spec/ports/${String(index)}/cidrs/${String(at)}` }));
  return [{ field, detail, correction: `remove ${named}, to which the port stays open`, patch }];
}

/** The problems of the entries of `spec.ports`. */
export function checkPorts(spec: Fields): FieldProblem[] {
  const ports = list(spec["ports"]);
  const mayBeAzure = (spec["provider"] ?? "azure") === "azure";
  const rules = ports.map(rulesOf);
  const [again] = ports.flatMap((open, index) => repeated(open, rules, index));
  const problems = ports.flatMap((open, index) => {
    const range = Number(open["toPort"] ?? open["port"]) < Number(open["port"]) ? [lowRange(fieldOf(index), open)] : [];
    const overlaps = mayBeAzure ? overlapping(open, index) : [];
    return [...range, ...networkProblems(fieldOf(index), open), ...overlaps];
  });
  // The patch of the second would remove another entry than it names after that of the first.
  return again === undefined ? problems : [...problems, again];
}

/** Rules of a security group of EC2, by default (Amazon VPC quotas): one for each entry and network. */
const SECURITY_RULES = 60;

/**
 * The denial of more rules than the own group of a machine has at EC2; null for fewer, or no more than there were before. A group whose
 * rules EC2 refused when it was made has none, and no correction of the object gives it any.
 */
export function beyondRules(spec: Fields, before: Fields = {}): Denial | null {
  const [actual, earlier] = [spec, before].map(({ ports }) => list(ports).flatMap(rulesOf).length) as [number, number];
  if (actual <= Math.max(SECURITY_RULES, earlier)) return null;
  return denial("ADM_SECURITY_RULES", { field: "spec.ports", actual: String(actual) });
}
