import { OF_AUTO_MODE } from "./ack-synced.ts";
import { unmanagedGroup } from "./ack-unmanaged.ts";
import { machineIssue } from "./ec2-machine.ts";
import { eksIssue, STILL_IN_USE } from "./eks.ts";
import { behindOf } from "./eks-version.ts";
import type { ProviderCondition, Readiness, Rule } from "./state.ts";
import { find, isTrue, notReady, ofCode, READY, UNSEEN } from "./state.ts";

/** Of ACK's own work on a resource that has no error: it uses the same condition for both. EKS updates clusters asynchronously. */
const PROGRESS =
  /^(?:Reconciling to sync additional fields|[Rr]equeuing until |(?:cluster|nodegroup) (?:has started asynchronously updating|in '[A-Z]{1,20}' state), cannot be modified)/;
/**
 * `api error VcpuLimitExceeded: You have…` within the words of AWS's SDK; `StatusCode: 409, EntityAlreadyExists: …` of errors that
 * have a type in it, as those of EKS and IAM; or the code and its text alone.
 */
const ERROR = /(?:^|api error |StatusCode: \d{3}, )([A-Z][A-Za-z0-9]{4,100}(?:\.[A-Z][A-Za-z]{1,100}){0,3}): /;
/** New at each attempt: with them, the same error would be another text each time. */
const REQUEST_ID = /,? ?(?:RequestID|request id): ?[\w-]{1,100}/gi;
const ENCODED = /\.? ?Encoded authorization failure message: ?[\w-]{1,10000}/gi;
/** How ACK names a resource that another one waits for. */
const REFERENCED =
  /resource:\s{0,4}(\w{1,100}),\s{0,4}namespace:\s{0,4}[\w.-]{0,253},\s{0,4}name:\s{0,4}([\w.-]{1,253})/;

/**
 * EC2's code of a network that exists in a VPC which is the object's own. ACK makes a subnet again if it was killed before it stored the id of
 * the first one (aws-controllers-k8s/community, issue 2062). It finds a security group by its name.
 */
const MADE_BEFORE = "InvalidSubnet.Conflict";

const madeBefore = (message: string): string =>
  `${message.replace(/\.$/, "")}; ACK may have made it before, and lost its id: delete the one in AWS that no resource names`;

function failed(condition: ProviderCondition, given: Partial<Readiness>, otherwise: string): Readiness {
  const message = (condition.message ?? "").replace(REQUEST_ID, "").replace(ENCODED, "");
  const found = ERROR.exec(message);
  // A code that the message does not give is the condition's own reason.
  if (found === null) return notReady(condition, { reason: condition.reason ?? otherwise, message, ...given });
  const [reason, said] = [found[1] ?? otherwise, message.slice(found.index + found[0].length)];
  return notReady(condition, { reason, message: reason === MADE_BEFORE ? madeBefore(said) : said, ...given });
}

/** EKS is as the specification says: what it refuses is a request of which its operator has no need. */
const AUTO_MODE =
  "ACK asks EKS for a change of Auto Mode, which the cluster does not have, and EKS refuses it each time. The cluster runs, and its version, " +
  "endpoint and tags still change. Write into the spec of the Cluster exactly what `aws eks describe-cluster` shows of " +
  "computeConfig, storageConfig.blockStorage and kubernetesNetworkConfig.elasticLoadBalancing";

/** An error that ACK tries to overcome: null for its own progress. */
function recoverable(condition: ProviderCondition): Readiness | null {
  const { message = "" } = condition;
  if (PROGRESS.test(message) || message === STILL_IN_USE) return null;
  if (OF_AUTO_MODE.test(message)) {
    return notReady(condition, { terminal: true, reason: "OperatorFault", message: AUTO_MODE });
  }
  const state = failed(condition, { retrying: true }, "Recoverable");
  return { ...state, ...ofCode("aws", state.reason) };
}

function waiting(condition: ProviderCondition): Readiness {
  const said = `${condition.reason ?? ""} ${condition.message ?? ""}`;
  const [, kind, name] = REFERENCED.exec(said) ?? [];
  const state = notReady(condition, { reason: "WaitingForReferences" });
  // ACK's message is the same for every error; its reason has the words: `subnets.ec2.services.k8s.aws "web-subnet" not found`.
  if (kind === undefined || name === undefined) return { ...state, message: condition.reason || state.message };
  return { ...state, message: `${kind} ${name} is not ready`, waitsFor: { kind, name } };
}

/** ACK's terminal error: a version below the one to which EKS has upgraded the cluster itself says what to write. */
function terminalError(condition: ProviderCondition): Readiness {
  const behind = behindOf(condition.message ?? "");
  const state = failed(condition, { terminal: true }, "Terminal");
  if (behind === null) return state;
  const { running, wanted } = behind;
  const message = `EKS runs ${running}, and upgraded the cluster from ${wanted} itself: write kubernetesVersion: "${running}"`;
  return { ...state, reason: "UpgradedByProvider", message };
}

/** The error in the conditions; null if there is none. ACK leaves the other conditions as they were. */
export function awsError(conditions: ProviderCondition[]): Readiness | null {
  const terminal = find(conditions, "ACK.Terminal");
  if (terminal && isTrue(terminal)) return terminalError(terminal);
  const again = find(conditions, "ACK.Recoverable");
  return again && isTrue(again) ? recoverable(again) : null;
}

/**
 * AWS Controllers for Kubernetes: conditions have no generation, and Unknown is not ready. Older runtimes write
 * ACK.ResourceSynced only, newer ones Ready too: all that is there has to be True. An error comes first: ACK.ResourceSynced may be True next to it.
 */
export const aws: Rule = (resource, conditions) => {
  const error = unmanagedGroup(resource, conditions) ?? awsError(conditions);
  if (error) return error;
  const states = ["ACK.ResourceSynced", "Ready"].map((type) => find(conditions, type)).filter((c) => c !== undefined);
  if (states.length > 0 && states.every(isTrue)) return READY;
  const issue = eksIssue(resource) ?? machineIssue(resource);
  if (issue) return issue;
  const references = find(conditions, "ACK.ReferencesResolved");
  if (references && !isTrue(references)) return waiting(references);
  return states.length > 0 ? notReady(states.find((state) => !isTrue(state))) : UNSEEN;
};
