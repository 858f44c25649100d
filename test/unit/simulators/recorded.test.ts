import { describe, expect, it } from "vitest";
import { findDrift } from "../../../src/composition/release/drift/find-drift.ts";
import type { Resource as Composed } from "../../../src/composition/types.ts";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import { kcc } from "../../../src/local/simulators/kcc.ts";
import { nextStatus } from "../../../src/local/simulators/next-status.ts";
import type { Family, Phase, RefusalKind, Resource } from "../../../src/local/simulators/types.ts";
import ackRecorded from "../../fixtures/operators/ack.json" with { type: "json" };
import asoRecorded from "../../fixtures/operators/aso.json" with { type: "json" };
import kccRecorded from "../../fixtures/operators/kcc.json" with { type: "json" };
import { NOW, type RecordedStep, replay, replayDeletion } from "./replay.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

const EC2 = "ec2.services.k8s.aws/v1alpha1";

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

const sequences = RECORDED.flatMap(([family, { sequences: found }]) =>
  (found as Sequence[]).map((sequence) => ({ ...sequence, family, operator: family.name })),
);

const apiVersionOf = (family: Family, kind: string): string => `${ruleOf(family, kind).group}/v1`;

describe("recorded sequences of operators are read as", () => {
  it.each(sequences.filter(({ deleting }) => deleting !== true))("$operator: $name", ({ family, kind, steps }) => {
    replay({ apiVersion: apiVersionOf(family, kind), kind, steps });
  });

  it.each(sequences.filter(({ deleting }) => deleting === true))("$operator: $name", ({ family, kind, steps }) => {
    replayDeletion({ apiVersion: apiVersionOf(family, kind), kind, steps });
  });
});

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

function resourceOf(family: Family, kind: string): Resource {
  const text = `{apiVersion: ${apiVersionOf(family, kind)}, kind: ${kind}, metadata: {name: web}, spec: {${SPEC}}}`;
  const [resource] = resources(text);
  if (resource === undefined) throw new TypeError("no resource");
  return resource;
}

function phaseOf(name: string, family: Family, kind: string): Phase {
  const { group, refers, name: target, fixed } = WORLD[family.name] ?? { group: "", refers: "", name: "", fixed: "" };
  const reference = { group, kind: refers, namespace: "demo", name: target, owner: false };
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

const words = (text: unknown): string =>
  String(text)
    .replace(/RequestID: [\w-]+/, "RequestID: x")
    .replace(/(api error [\w.]+: ).*/, "$1…");

/** A condition without what differs in every run: times, ids of requests, and the sentences of AWS after an error's code. */
const shape = ({ type, status, reason = "", message = "", severity = "", ...rest }: Record<string, unknown>) => ({
  ...{ type, status, severity, hasTime: "lastTransitionTime" in rest },
  ...{ reason: words(reason), message: words(message) },
});

const simulated = sequences.flatMap(({ name, kind, family, operator, steps }) =>
  steps
    .filter((step): step is Step & { phase: string } => step.phase !== undefined && step.phase !== "bad-zone")
    .map((step) => ({ name, kind, family, operator, ...step })),
);

describe("the simulator writes the conditions that its operator writes", () => {
  it.each(simulated)("$operator: $name: $phase", ({ family, kind, phase, conditions }) => {
    const subject = { resource: resourceOf(family, kind), family, rule: ruleOf(family, kind) };
    const status = nextStatus(subject, phaseOf(phase, family, kind), { lookup: lookupIn([]), nowMs: NOW * 1000 });
    const written = status?.["conditions"] as Record<string, unknown>[];
    const sorted = (list: Record<string, unknown>[]) =>
      list.map(shape).sort((one, other) => String(one.type).localeCompare(String(other.type)));
    expect(sorted(written)).toEqual(sorted(conditions));
  });

  it("writes an Instance's image and disks back, once, and that is not drift", () => {
    const rule = ruleOf(ack, "Instance");
    const spec = "{imageID: 'resolve:ssm:/aws/x', blockDeviceMappings: [{deviceName: /dev/sda1}]}";
    const [resource] = resources(`{apiVersion: ${EC2}, kind: Instance, metadata: {name: web}, spec: ${spec}}`);
    if (resource === undefined) throw new TypeError("no resource");
    const written = rule.writeBack?.(resource) ?? {};
    expect(written).toEqual({
      imageID: expect.stringMatching(/^ami-[0-9a-f]{17}$/) as string,
      blockDeviceMappings: null,
      networkInterfaces: [{ deviceIndex: 0, subnetID: expect.stringMatching(/^subnet-/) as string }],
      securityGroupIDs: [expect.stringMatching(/^sg-/) as string],
    });
    const { blockDeviceMappings: _, ...left } = { ...resource.spec, ...written };
    expect(rule.writeBack?.({ ...resource, spec: left })).toBeNull();
    expect(findDrift(resource as Composed, { ...resource, spec: left })).toBeNull();
  });
});
