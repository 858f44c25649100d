import { describe, expect, it } from "vitest";
import { readiness } from "../../../src/composition/status/readiness.ts";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { leftOf } from "../../../src/local/simulators/deletion-step.ts";
import { nextStatus } from "../../../src/local/simulators/next-status.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

const subnet = (region: string, zone: string): Resource =>
  resources(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Subnet
metadata: {name: web, annotations: {services.k8s.aws/region: ${region}}}
spec: {cidrBlock: 10.0.0.0/24, availabilityZone: ${zone}}
`)[0] as Resource;

it.each([
  ["eu-west-1", "eu-west-1c", null],
  ["us-east-1", "us-east-1f", null],
  ["eu-west-1", "eu-west-1f", "eu-west-1a, eu-west-1b, eu-west-1c."],
  ["eu-west-1", "us-east-1a", "eu-west-1a, eu-west-1b, eu-west-1c."],
])("EC2, as it is simulated, answers in %s to a subnet in %s", (region, zone, expected) => {
  const refusal = ruleOf(ack, "Subnet").refuses?.(subnet(region, zone), lookupIn([])) ?? null;
  if (expected === null) expect(refusal).toBeNull();
  else {
    expect(refusal).toMatchObject({ code: "InvalidParameterValue", terminal: true });
    expect(refusal?.message).toContain(expected);
  }
});

it.each([
  ["[{key: Name, value: a}, {key: name, value: b}]", "InvalidInput"],
  ["[{key: Name, value: a}, {key: team, value: b}]", undefined],
  ["[{key: Name, value: a}, {key: team, value: 'A/b:c=d+e-f@g.h_1 é'}]", undefined],
  ["[{key: Name, value: a}, {key: team, value: '50%'}]", "ValidationError"],
])("IAM, as it is simulated, answers to a role with the tags %s", (tags, code) => {
  const [role] = resources(`
apiVersion: iam.services.k8s.aws/v1alpha1
kind: Role
metadata: {name: web}
spec: {name: web, assumeRolePolicyDocument: "{}", tags: ${tags}}
`) as [Resource];
  expect(ruleOf(ack, "Role").refuses?.(role, lookupIn([]))?.code).toBe(code);
});

it.each([
  [60, undefined],
  [61, "RulesPerSecurityGroupLimitExceeded"],
])("EC2, as it is simulated, answers to a group with %d rules", (count, code) => {
  const [group] = resources(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {name: web, description: web, ingressRules: [{ipRanges: ${JSON.stringify(Array(count).fill({ cidrIP: "10.0.0.0/8" }))}}]}
`) as [Resource];
  expect(ruleOf(ack, "SecurityGroup").refuses?.(group, lookupIn([]))?.code).toBe(code);
});

const key = (length: number): string => `example.com/${"a".repeat(length - 12)}`;

it.each([
  [{ labels: { [key(63)]: "a" }, taints: [{ key: key(63) }] }, undefined],
  [{ labels: { [key(64)]: "a" } }, "InvalidParameterException"],
  [{ taints: [{ key: key(64) }] }, "InvalidParameterException"],
])("EKS, as it is simulated, answers to the pool %j", (spec, code) => {
  const [found] = resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: web}
`) as [Resource];
  expect(ruleOf(ack, "Nodegroup").refuses?.({ ...found, spec }, lookupIn([]))?.code).toBe(code);
});

it("a Subnet that ACK makes twice says that it may exist in AWS", () => {
  const asked = (status: string): Resource =>
    resources(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Subnet
metadata: {name: web, annotations: {landfall.dev/simulate: made-twice}}
spec: {name: web}
status: ${status}
`)[0] as Resource;
  const refusalOf = (resource: Resource) => ruleOf(ack, "Subnet").refuses?.(resource, lookupIn([])) ?? null;
  expect(refusalOf(asked("{ackResourceMetadata: {arn: arn}}"))).toBeNull();
  const refusal = refusalOf(asked("{}"));
  const conditions = refusal && ack.conditions({ name: "refused", refusal }, asked("{}"));
  const { terminal, reason, message } = readiness({ ...asked("{}"), status: { conditions } });
  expect({ terminal, reason }).toEqual({ terminal: true, reason: "InvalidSubnet.Conflict" });
  expect(message).toContain(
    "ACK may have made it before, and lost its id: delete the one in AWS that no resource names",
  );
});

describe("a SecurityGroup whose rules EC2 refuses when ACK makes it", () => {
  const group = (count: number, labels = "{}"): Resource =>
    resources(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: SecurityGroup
metadata: {name: web, namespace: demo, labels: ${labels}, finalizers: [finalizers.ec2.services.k8s.aws/SecurityGroup]}
spec: {name: web, description: web, vpcRef: {from: {name: web-vpc}}, ingressRules: [{ipRanges: ${JSON.stringify(Array(count).fill({ cidrIP: "10.0.0.0/8" }))}}]}
`)[0] as Resource;
  const rule = ruleOf(ack, "SecurityGroup");
  const refusalOf = (resource: Resource) => rule.refuses?.(resource, lookupIn([])) ?? null;
  const told = (resource: Resource): Resource => {
    const refusal = refusalOf(resource);
    if (refusal === null) throw new TypeError("not refused");
    const status = nextStatus(
      { resource, rule, family: ack },
      { name: "refused", refusal },
      { lookup: lookupIn([]), nowMs: 0 },
    );
    return { ...resource, status: { ...resource.status, ...status } };
  };
  const without = (resource: Resource): Resource => ({
    ...resource,
    metadata: { ...resource.metadata, finalizers: [] },
  });

  it.each<[string, Resource, string]>([
    ["for their number", group(61), "RulesPerSecurityGroupLimitExceeded"],
    ["for a right of ACK's role", group(1, "{simulate: rules-refused}"), "UnauthorizedOperation"],
  ])("%s has its id, and is given up at the next look", (_, made, code) => {
    const first = told(made);
    expect(refusalOf(made)).toMatchObject({ code, isMade: true });
    expect(first.status).toMatchObject({ id: expect.stringMatching(/^sg-/) as string });
    expect(readiness(first)).toMatchObject({ reason: code });
    const second = told(without(first));
    const { terminal, reason, message } = readiness(second);
    expect({ terminal, reason }).toEqual({ terminal: true, reason: "RulesRefused" });
    const id = String(second.status?.["id"]);
    expect(message).toContain(`EC2 refused the rules of ${id} when ACK made it`);
    expect(message).toContain("kubectl patch securitygroups.ec2.services.k8s.aws web -n demo --type merge");
    expect(message).toContain(`aws ec2 delete-security-group --region us-east-1 --group-id ${id}`);
    expect(message).not.toContain("adopt");
    expect(ack.givesUp(second)).toBe(true);
  });

  it("does not heal with fewer rules alone, but with the finalizer", () => {
    const left = told(without(told(group(61))));
    const fewer = { ...left, spec: group(10).spec };
    expect(refusalOf(fewer)).toMatchObject({ message: "Resource already exists", terminal: true });
    expect(refusalOf({ ...fewer, metadata: group(10).metadata })).toBeNull();
  });

  it("keeps its VPC from being deleted once its resource is gone", () => {
    const [vpc] = resources(
      "{apiVersion: ec2.services.k8s.aws/v1alpha1, kind: VPC, metadata: {name: web-vpc, namespace: demo}, spec: {cidrBlocks: []}}",
    ) as [Resource];
    const { isMade = false, ...refusal } = refusalOf(group(61)) ?? { code: "", message: "", terminal: false };
    const subject = { resource: group(61), rule, family: ack };
    const left = leftOf({ ...refusal, isMade }, subject, lookupIn([vpc]));
    expect(left?.holder).toBe(vpc);
    expect(leftOf(refusal, subject, lookupIn([vpc]))).toBeUndefined();
    const heldBy = ruleOf(ack, "VPC").heldBy;
    expect(heldBy?.(vpc)).toBeNull();
    expect(heldBy?.({ ...vpc, metadata: { ...vpc.metadata, annotations: { ...left?.annotations } } })).toMatch(/^sg-/);
  });
});

it.each([
  ["VPC", "VpcLimitExceeded"],
  ["InternetGateway", "InternetGatewayLimitExceeded"],
  ["RouteTable", "RouteTableLimitExceeded"],
])("a %s whose second call is refused has no id, and uses up the quota: %s", (kind, quota) => {
  const [made] = resources(
    `{apiVersion: ec2.services.k8s.aws/v1alpha1, kind: ${kind}, metadata: {name: web, labels: {simulate: second-call-refused}}, spec: {}}`,
  ) as [Resource];
  const rule = ruleOf(ack, kind);
  const refusal = rule.refuses?.(made, lookupIn([]));
  if (!refusal) throw new TypeError("not refused");
  const told = (attempt: number): Resource => {
    const phase = { name: "refused", refusal, attempt } as const;
    const status = nextStatus({ resource: made, rule, family: ack }, phase, { lookup: lookupIn([]), nowMs: 0 });
    return { ...made, status: { ...status } };
  };
  expect(Object.keys(told(0).status ?? {})).toEqual(["conditions"]);
  expect([0, 2, 3].map((attempt) => readiness(told(attempt)).reason)).toEqual([
    ...["UnauthorizedOperation", "UnauthorizedOperation", quota],
  ]);
});
