import { textOf } from "../../../model/json.ts";
import { zonesOf } from "../../../model/places/zones.ts";
import { askedFault } from "../asked-fault.ts";
import { listAt, textAt } from "../fields.ts";
import { NOT_MANAGED } from "../node-groups.ts";
import type { Refusal, Resource } from "../types.ts";

// Answers of EC2 and IAM to a spec. docs/internals/operators.md has the sources.

export const regionOf = (resource: Resource): string | null =>
  resource.metadata.annotations?.["services.k8s.aws/region"] ??
  textAt(resource.spec, "placement.availabilityZone")?.replace(/[a-z]$/, "") ??
  null;

/** EC2's answer about a second subnet, which ACK makes if it was killed before it stored the id of the first; null for one that has an id. */
function twiceRefusal(resource: Resource): Refusal | null {
  const isNew = textAt(resource.status, "ackResourceMetadata.arn") === null;
  if (!isNew || askedFault(resource) !== "made-twice") return null;
  return { code: "InvalidSubnet.Conflict", message: "The CIDR conflicts with another subnet", terminal: false };
}

const NO_RIGHT = "You are not authorized to perform this operation.";

/** Rules of a security group, unless the account's quota is raised. */
const MOST_RULES = 60;

/** EC2's answer about the rules of a group, which are calls of their own; null for none. */
function rulesRefusal(resource: Resource): Refusal | null {
  const rules = listAt(resource.spec, "ingressRules").flatMap(({ ipRanges }): unknown[] =>
    Array.isArray(ipRanges) ? ipRanges : [],
  );
  if (rules.length > MOST_RULES) {
    const message = "The maximum number of rules per security group has been reached.";
    return { code: "RulesPerSecurityGroupLimitExceeded", message, terminal: false };
  }
  if (askedFault(resource) !== "rules-refused") return null;
  return { code: "UnauthorizedOperation", message: NO_RIGHT, terminal: false };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
export function groupRefusal(resource: Resource): Refusal | null {
  if (textAt(resource.spec, "name")?.startsWith("sg-")) {
    const message = "Invalid value for groupName. Group names cannot begin with sg-.";
    return { code: "InvalidParameterValue", message, terminal: true };
  }
  const isThere = textAt(resource.status, "id") !== null;
  const isManaged = resource.metadata.finalizers?.some((name) => name.startsWith("finalizers.ec2.")) === true;
  if (isThere && !isManaged) return { code: "", message: NOT_MANAGED, terminal: true };
  const refused = rulesRefusal(resource);
  return refused !== null && !isThere ? { ...refused, isMade: true } : refused;
}

/** EC2 names the zones that the account has in the region of its credentials or the annotation. */
export function subnetRefusal(resource: Resource): Refusal | null {
  const zone = textAt(resource.spec, "availabilityZone");
  const zones = zonesOf("aws", regionOf(resource) ?? zone?.replace(/[a-z]$/, "") ?? "") ?? [];
  if (zone === null || zones.includes(zone)) return twiceRefusal(resource);
  const message = `Value (${zone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${zones.join(", ")}.`;
  return { code: "InvalidParameterValue", message, terminal: true };
}

const TAG = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/** IAM takes keys of tags that differ only in their letters' case for the same one, and few characters in values. */
export function tagRefusal(resource: Resource): Refusal | null {
  const tags = listAt(resource.spec, "tags");
  const keys = tags.map(({ key }) => textOf(key).toLowerCase());
  if (new Set(keys).size !== keys.length) {
    const message = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
    return { code: "InvalidInput", message, terminal: true };
  }
  const wrong = tags.findIndex(({ value }) => !TAG.test(textOf(value)));
  if (wrong < 0) return null;
  const message =
    `1 validation error detected: Value '${textOf(tags[wrong]?.["value"])}' at 'tags.${String(wrong + 1)}.member.value' failed to satisfy ` +
    "constraint: Member must satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*";
  return { code: "ValidationError", message, terminal: false };
}

/** The kinds that ACK makes by two calls, and makes again if the second fails: EC2's word for the quota of each. */
const QUOTAS: Readonly<Record<string, string>> = {
  VPC: "VpcLimitExceeded",
  InternetGateway: "InternetGatewayLimitExceeded",
  RouteTable: "RouteTableLimitExceeded",
};
/** A region has five VPCs and gateways, and often some are in use. */
const LEFT_OF_QUOTA = 3;

/** EC2's answer to the second call of a creation, where it is asked for. ACK forgets what the first made. */
export function secondCallRefusal(resource: Resource): Refusal | null {
  const isNew = textAt(resource.status, "ackResourceMetadata.arn") === null;
  if (!isNew || askedFault(resource) !== "second-call-refused") return null;
  return { code: "UnauthorizedOperation", message: NO_RIGHT, terminal: false, isLost: true };
}

/** The same refusal after so many attempts before: the quota is used up by what they made. */
export function afterAttempts(refusal: Refusal, { kind }: Resource, attempt: number): Refusal {
  const code = QUOTAS[kind];
  if (refusal.isLost !== true || code === undefined || attempt < LEFT_OF_QUOTA) return refusal;
  return { ...refusal, code, message: `The maximum number of resources of the type ${kind} has been reached.` };
}
