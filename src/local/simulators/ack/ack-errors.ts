import { EKS, IAM } from "./ack-kinds.ts";
import { digits, textAt } from "../fields.ts";
import type { Refusal, RefusalKind, Resource } from "../types.ts";

// The controllers' messages and lists: pkg/resource/KIND/sdk.go (updateConditions, terminalAWSError) of ec2-controller and eks-controller
// v1.20.0 and iam-controller v1.6.2, with the runtime v0.62.0.

/** The codes that each kind's controller gives up after. All others are recoverable, an Instance's without exception. */
const GIVEN_UP: Readonly<Record<string, readonly string[]>> = {
  Subnet: ["InvalidParameterValue", "InvalidCustomerOwnedIpv4PoolID.Malformed"],
  VPC: ["InvalidParameterValue"],
  ElasticIPAddress: ["InvalidParameterCombination", "InvalidParameterValue"],
  NATGateway: ["InvalidSubnet", "InvalidElasticIpID.Malformed", "MissingParameter"],
  Cluster: [
    ...["ResourceLimitExceeded", "ResourceNotFound", "ResourceInUse", "OptInRequired", "InvalidParameterCombination"],
    ...["InvalidParameterValue", "MissingParameter", "ValidationError"],
  ],
  Nodegroup: [
    ...["ResourceLimitExceeded", "ResourceNotFound", "ResourceInUse", "OptInRequired", "InvalidParameterCombination"],
    ...["InvalidParameterValue", "InvalidParameterException", "MissingParameter", "ValidationError"],
  ],
  Role: ["InvalidInput", "MalformedPolicyDocument"],
};

/** The SDK has types for the errors of EKS and some of IAM, and writes them without the words `api error`. EC2's API describes none. */
const TYPED_BY_IAM = [
  ...["ConcurrentModification", "DeleteConflict", "EntityAlreadyExists", "InvalidInput", "LimitExceeded"],
  ...["MalformedPolicyDocument", "NoSuchEntity", "UnmodifiableEntity"],
];

const groupOf = ({ apiVersion }: Resource): string => apiVersion.split("/")[0] ?? "";

function isTyped(resource: Resource, code: string): boolean {
  const group = groupOf(resource);
  return group === EKS ? code.endsWith("Exception") : group === IAM && TYPED_BY_IAM.includes(code);
}

/** The controller's own refusal, before any call of the API. */
const IMMUTABLE = "ImmutableField";

type Words = readonly [code: string, message: string];

/** EC2's answers. */
const BY_EC2: Readonly<Record<RefusalKind, (resource: Resource, detail: string) => Words>> = {
  "quota-exceeded": ({ spec }) => [
    "VcpuLimitExceeded",
    `You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that ${textAt(spec, "instanceType") ?? ""} belongs to.`,
  ],
  "no-capacity": (_resource, detail) => [
    "InsufficientInstanceCapacity",
    `We currently do not have sufficient ${detail} capacity in the Availability Zone you requested.`,
  ],
  "bad-image": ({ spec }) => [
    "InvalidAMIID.NotFound",
    `The image id '[${textAt(spec, "imageID") ?? ""}]' does not exist`,
  ],
  "not-offered": (_resource, detail) => [
    "Unsupported",
    `The requested configuration is currently not supported: ${detail} is not offered here.`,
  ],
  immutable: (resource, detail) =>
    detail === "instanceType"
      ? [
          "IncorrectInstanceState",
          `The instance '${textAt(resource.status, "instanceID") ?? ""}' is not in the 'stopped' state.`,
        ]
      : [IMMUTABLE, `Immutable Spec fields have been modified: ${detail}`],
  "missing-field": (_resource, detail) => ["MissingParameter", `The request must contain the parameter ${detail}`],
};

/** EKS's answers, where they differ. https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html#API_CreateNodegroup_Errors */
const BY_EKS: Partial<typeof BY_EC2> = {
  "quota-exceeded": () => [
    "ResourceLimitExceededException",
    "You have encountered a service limit on the specified resource.",
  ],
  "not-offered": (_resource, detail) => [
    "InvalidParameterException",
    `The following supplied instance types do not exist: [${detail}]`,
  ],
  "missing-field": (_resource, detail) => ["InvalidParameterException", `${detail} is required.`],
};

/** IAM's answers, where they differ. https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html */
const BY_IAM: Partial<typeof BY_EC2> = {
  "missing-field": (_resource, detail) => [
    "ValidationError",
    `1 validation error detected: Value at '${detail}' failed to satisfy constraint: Member must not be null`,
  ],
};

const ANSWERS: Readonly<Record<string, typeof BY_EC2>> = {
  [EKS]: { ...BY_EC2, ...BY_EKS },
  [IAM]: { ...BY_EC2, ...BY_IAM },
};

/** Whether the controller of the resource gives up after this code. */
const givesUp = ({ kind }: Resource, code: string): boolean =>
  code === IMMUTABLE || GIVEN_UP[kind]?.includes(code) === true;

/** The answer of AWS, or of the controller itself. */
export function ackRefusal(kind: RefusalKind, resource: Resource, detail: string): Refusal {
  const [code, message] = (ANSWERS[groupOf(resource)] ?? BY_EC2)[kind](resource, detail);
  return { code, message, terminal: givesUp(resource, code) };
}

/** The message of a condition about an error: AWS's words alone. */
export function conditionText(resource: Resource, { code, message }: Pick<Refusal, "code" | "message">): string {
  if (code === IMMUTABLE || code === "") return message;
  return `${isTyped(resource, code) ? "" : "api error "}${code}: ${message}`;
}

const ACTIONS: Readonly<Record<string, { create: string; delete: string }>> = {
  Instance: { create: "RunInstances", delete: "TerminateInstances" },
  VPC: { create: "CreateVpc", delete: "DeleteVpc" },
};

/**
 * The whole error of AWS's SDK, which is a condition's reason. The id of the request is another one with each attempt.
 */
export function sdkError(resource: Resource, refusal: Pick<Refusal, "code" | "message">, attempt: number): string {
  const service = groupOf(resource).split(".")[0]?.toUpperCase() ?? "";
  const action = ACTIONS[resource.kind]?.create ?? `Create${resource.kind}`;
  const id = digits([resource.metadata.uid, resource.metadata.generation, attempt], 32);
  const said = conditionText(resource, refusal);
  return `operation error ${service}: ${action}, https response error StatusCode: 400, RequestID: ${id}, ${said}`;
}
