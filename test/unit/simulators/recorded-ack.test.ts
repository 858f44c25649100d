import { describe, expect, it } from "vitest";
import { findDrift } from "../../../src/composition/release/find-drift.ts";
import { deletionState } from "../../../src/composition/status/readiness.ts";
import { retryTimes, type RetryTimes } from "../../../src/composition/status/retry-times.ts";
import { summariseReadiness } from "../../../src/composition/status/summarise-readiness.ts";
import type { Resource as Composed } from "../../../src/composition/types.ts";
import { ack } from "../../../src/local/simulators/ack.ts";
import { nextStatus } from "../../../src/local/simulators/next-status.ts";
import type { Phase, RefusalKind } from "../../../src/local/simulators/types.ts";
import recorded from "../../fixtures/operators/ack.json" with { type: "json" };
import { lookupIn, resources, ruleOf } from "./resources.ts";

const NOW = Date.parse("2026-11-21T10:00:00Z") / 1000;
const EC2 = "ec2.services.k8s.aws/v1alpha1";

interface Step {
  after?: number;
  /** The simulator's phase or refusal that stands for it; left out for what it does not simulate. */
  phase?: string;
  conditions: Record<string, unknown>[];
  ready?: string;
  says?: string;
}

interface Sequence {
  name: string;
  kind: string;
  deleting?: boolean;
  steps: Step[];
}

const sequences = recorded.sequences as unknown as Sequence[];
const of = (kind: string, conditions: unknown[]): Composed => ({
  apiVersion: EC2,
  kind,
  metadata: { name: "web" },
  status: { conditions },
});

describe("recorded sequences of ACK are read as", () => {
  it.each(sequences.filter(({ deleting }) => deleting !== true))("$name", ({ kind, steps }) => {
    let [at, times]: [number, RetryTimes] = [NOW, new Map()];
    for (const { after = 1, conditions, ready, says = "" } of steps) {
      at += after;
      const found = [{ apiVersion: EC2, kind, name: "web", live: of(kind, conditions) }];
      times = retryTimes(found, times, at);
      const said = summariseReadiness(found, at, times);
      expect(said.reason).toBe(ready);
      expect(said.message).toContain(says);
      expect(said.message).not.toContain("RequestID");
    }
  });

  it.each(sequences.filter(({ deleting }) => deleting === true))("$name", ({ kind, steps }) => {
    const [step] = steps;
    const deleted = of(kind, step?.conditions ?? []);
    deleted.metadata.deletionTimestamp = "2026-11-21T10:00:00Z";
    const { reason, message } = deletionState(deleted);
    expect(`${reason}: ${message}`).toBe(step?.says);
  });
});

const REFUSALS: Readonly<Record<string, RefusalKind>> = {
  "bad-image": "bad-image",
  "quota-exceeded": "quota-exceeded",
};
const reference = { group: "", kind: "Subnet", namespace: "demo", name: "web-subnet", owner: false };

function phaseOf(name: string, kind: string): Phase {
  const refusal = REFUSALS[name];
  const [resource] = resources(`{apiVersion: ${EC2}, kind: ${kind}, metadata: {name: web}, spec: {imageID: ami-0}}`);
  if (resource === undefined) throw new TypeError("no resource");
  if (refusal !== undefined) return { name: "refused", refusal: ack.refusal(refusal, resource, "") };
  if (name === "waiting") return { name, reference, exists: true };
  if (name === "blocked") return { name, by: "Subnet demo/web-subnet" };
  if (name === "ready" || name === "creating" || name === "updating") return { name };
  throw new TypeError(`no phase ${name}`);
}

/** A condition without what differs in every run: times, ids of requests, and the sentences of AWS after an error's code. */
const shape = ({ type, status, reason = "", message = "", ...rest }: Record<string, unknown>) => ({
  ...{ type, status, reason, hasTime: "lastTransitionTime" in rest },
  message: String(message)
    .replace(/RequestID: [\w-]+/, "RequestID: x")
    .replace(/(api error [\w.]+: ).*/, "$1…"),
});

const simulated = sequences.flatMap(({ name, kind, steps }) =>
  steps
    .filter((step): step is Step & { phase: string } => step.phase !== undefined && step.phase !== "bad-zone")
    .map((step) => ({ name, kind, ...step })),
);

describe("the simulator writes the conditions that ACK wrote", () => {
  it.each(simulated)("$name: $phase", ({ kind, phase, conditions }) => {
    const [resource] = resources(`{apiVersion: ${EC2}, kind: ${kind}, metadata: {name: web}, spec: {imageID: ami-0}}`);
    if (resource === undefined) throw new TypeError("no resource");
    const subject = { resource, family: ack, rule: ruleOf(ack, kind) };
    const status = nextStatus(subject, lookupIn([]), phaseOf(phase, kind), NOW * 1000);
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
    });
    const { blockDeviceMappings: _, ...left } = { ...resource.spec, ...written };
    expect(rule.writeBack?.({ ...resource, spec: left })).toBeNull();
    expect(findDrift(resource as Composed, { ...resource, spec: left })).toBeNull();
  });
});
