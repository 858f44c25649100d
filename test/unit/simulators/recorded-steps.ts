import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { RUNNING } from "../../../src/local/simulators/pool-versions.ts";
import type { Family, Phase, RefusalKind, Resource } from "../../../src/local/simulators/types.ts";
import ackRecorded from "../../fixtures/operators/ack.json" with { type: "json" };
import asoRecorded from "../../fixtures/operators/aso.json" with { type: "json" };
import kccRecorded from "../../fixtures/operators/kcc.json" with { type: "json" };
import type { RecordedStep } from "./replay.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

interface Step extends RecordedStep {
  /** The simulator's phase or refusal that stands for it; left out for what it does not simulate. */
  phase?: string;
}

interface Sequence {
  name: string;
  kind: string;
  deleting?: boolean;
  steps: Step[];
}

const RECORDED: readonly (readonly [Family, { sequences: unknown }])[] = [
  [ack, ackRecorded],
  [aso, asoRecorded],
  [kcc, kccRecorded],
];

/** test/fixtures/operators, with the family that stands for each operator. */
export const sequences = RECORDED.flatMap(([family, { sequences: found }]) =>
  (found as Sequence[]).map((sequence) => ({ ...sequence, family, operator: family.name })),
);

/** The steps that a simulator has to write, in their order. */
export const simulated = sequences.flatMap(({ name, kind, family, operator, steps }) =>
  steps
    .filter((step): step is Step & { phase: string } => step.phase !== undefined && step.phase !== "bad-zone")
    .map((step, at) => ({ name, kind, family, operator, at, ...step })),
);

export const apiVersionOf = (family: Family, kind: string): string => `${ruleOf(family, kind).group}/v1`;

const REFUSALS: Readonly<Record<string, [kind: RefusalKind, detail: string]>> = {
  "bad-image": ["bad-image", ""],
  "quota-exceeded": ["quota-exceeded", ""],
  "not-offered": ["not-offered", "Standard_D2s_v5"],
};
/** What a resource of the family refers to, and which field of it is fixed. */
const WORLD: Readonly<Record<string, { group: string; refers: string; name: string; fixed: string }>> = {
  ack: { group: "ec2.services.k8s.aws", refers: "Subnet", name: "web-subnet", fixed: "" },
  aso: { group: "network.azure.com", refers: "NetworkInterface", name: "web-nic", fixed: "zones" },
  kcc: { group: "compute.cnrm.cloud.google.com", refers: "ComputeSubnetwork", name: "web-subnet", fixed: "zone" },
};
const OWNER = {
  ...{ group: "resources.azure.com", kind: "ResourceGroup", namespace: "demo", name: "web-rg", owner: true },
};

const SPEC = `imageID: ami-0, zone: europe-west8-b, location: westeurope, bootDisk: {initializeParams: {sourceImageRef: {external: none}}}`;

/** Refusals of an EKS cluster and its node group that are there, with the fault that is asked for. */
const OF_EKS: Readonly<Record<string, string>> = { "upgrade-refused": "upgrade-refused", "pool-too-new": "" };

/** One that is to run 1.35, and runs 1.34. */
function upgradedOf(family: Family, kind: string, fault: string): Resource {
  const metadata = `{name: web, labels: {simulate: "${fault}"}, annotations: {${RUNNING}: "1.34"}}`;
  const spec = `{version: "1.35", clusterRef: {from: {name: web}}}`;
  const status = `{ackResourceMetadata: {arn: "arn:aws:eks:eu-central-1:000000000000:web"}}`;
  const [resource] = resources(
    `{apiVersion: ${apiVersionOf(family, kind)}, kind: ${kind}, metadata: ${metadata}, spec: ${spec}, status: ${status}}`,
  );
  if (resource === undefined) throw new TypeError("no resource");
  return resource;
}

export function resourceOf(family: Family, kind: string, phase = ""): Resource {
  const fault = OF_EKS[phase];
  if (fault !== undefined) return upgradedOf(family, kind, fault);
  const text = `{apiVersion: ${apiVersionOf(family, kind)}, kind: ${kind}, metadata: {name: web}, spec: {${SPEC}}}`;
  const [resource] = resources(text);
  if (resource === undefined) throw new TypeError("no resource");
  return resource;
}

/** What the simulator's own rule of an EKS kind says of an upgrade. */
function refusedUpgrade(family: Family, kind: string, phase: string): Phase {
  const known = lookupIn([upgradedOf(family, "Cluster", "")]);
  const refusal = ruleOf(family, kind).refuses?.(resourceOf(family, kind, phase), known);
  if (refusal === undefined || refusal === null) throw new TypeError(`${kind} is not refused`);
  return { name: "refused", refusal };
}

/** The phase in which a simulator writes the step. */
export function phaseOf(name: string, family: Family, kind: string): Phase {
  const { group, refers, name: target, fixed } = WORLD[family.name] ?? { group: "", refers: "", name: "", fixed: "" };
  const reference = { group, kind: refers, namespace: "demo", name: target, owner: false };
  if (OF_EKS[name] !== undefined) return refusedUpgrade(family, kind, name);
  const refused = name === "immutable" ? (["immutable", fixed] as const) : REFUSALS[name];
  if (refused !== undefined) {
    return { name: "refused", refusal: family.refusal(refused[0], resourceOf(family, kind), refused[1]) };
  }
  const by = `${family.name === "kcc" ? refers : "NetworkInterface"} demo/other`;
  const phases: readonly (readonly [string, Phase])[] = [
    ["waiting", { name: "waiting", reference, exists: true, claimed: true }],
    ["waiting-unclaimed", { name: "waiting", reference, exists: true, claimed: false }],
    ["waiting-missing", { name: "waiting", reference, exists: false, claimed: false }],
    ["waiting-owner", { name: "waiting", reference: OWNER, exists: true, claimed: true }],
    ["blocked", { name: "blocked", by }],
    ...(["ready", "creating", "updating", "deleting"] as const).map((one) => [one, { name: one }] as const),
  ];
  const found = phases.find(([one]) => one === name)?.[1];
  if (found === undefined) throw new TypeError(`no phase ${name}`);
  return found;
}

type Condition = Record<string, unknown>;

const words = (text: unknown): string =>
  String(text)
    .replace(/RequestID: [\w-]+/, "RequestID: x")
    .replace(/(api error [\w.]+: ).*/, "$1…");

const shape = ({ type, status, reason = "", message = "", severity = "", ...rest }: Condition) => ({
  ...{ type, status, severity, hasTime: "lastTransitionTime" in rest },
  ...{ reason: words(reason), message: words(message) },
});

/** Conditions by type, without what differs in every run: times, ids of requests, and the sentences of AWS after an error's code. */
export const comparable = (conditions: readonly Condition[]): unknown[] =>
  conditions.map(shape).sort((one, other) => String(one.type).localeCompare(String(other.type)));
