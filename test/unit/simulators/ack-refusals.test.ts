import { expect, it } from "vitest";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
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
])("IAM, as it is simulated, answers to a role with the tags %s", (tags, code) => {
  const [role] = resources(`
apiVersion: iam.services.k8s.aws/v1alpha1
kind: Role
metadata: {name: web}
spec: {name: web, assumeRolePolicyDocument: "{}", tags: ${tags}}
`) as [Resource];
  expect(ruleOf(ack, "Role").refuses?.(role, lookupIn([]))?.code).toBe(code);
});
