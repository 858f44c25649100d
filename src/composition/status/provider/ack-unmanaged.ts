import { isObject, textOf } from "../../../model/json.ts";
import type { Resource } from "../../types.ts";
import { idIn } from "../status-limits.ts";
import { find, isTrue, notReady, type ProviderCondition, type Readiness } from "./state.ts";

const FINALIZER = "finalizers.ec2.services.k8s.aws/SecurityGroup";
/** `NotManagedReason` of aws-controllers-k8s/runtime, which also recommends to adopt what ACK itself made. */
const UNMANAGED = /^This resource already exists but is not managed by ACK/;

const stays = (id: string, region: string, { name = "", namespace = "" }: Resource["metadata"]): string =>
  `EC2 refused the rules of ${id} when ACK made it: more than 60, a right that ACK's role does not have, or too many calls; or ${id} had this ` +
  `name before. ACK tries no more, and ${id} stays in AWS when the object is deleted. Correct the cause. If ACK made ${id}, run ` +
  `\`kubectl patch securitygroups.ec2.services.k8s.aws ${name} -n ${namespace} --type merge -p '{"metadata":{"finalizers":["${FINALIZER}"]}}'\` ` +
  "and change a tag of the object. Or delete the object, run " +
  `\`aws ec2 delete-security-group --region ${region} --group-id ${id}\`, and create it again`;

/** The region that ACK works in; a word to replace where it does not say. */
function regionOf({ status }: Resource): string {
  const known = status?.["ackResourceMetadata"];
  return (isObject(known) ? idIn(known["region"]) : null) ?? "REGION";
}

/**
 * A security group that ACK made and whose rules EC2 refused: ACK takes its finalizer away, finds the group by its id at the next look, and
 * gives up. Null for others.
 */
export function unmanagedGroup(resource: Resource, conditions: ProviderCondition[]): Readiness | null {
  const terminal = find(conditions, "ACK.Terminal");
  const { kind, metadata, status } = resource;
  if (kind !== "SecurityGroup" || !isTrue(terminal) || !UNMANAGED.test(textOf(terminal?.reason))) return null;
  const id = idIn(status?.["id"]);
  if (id === null || metadata.finalizers?.includes(FINALIZER) === true) return null;
  return notReady(terminal, {
    terminal: true,
    reason: "RulesRefused",
    message: stays(id, regionOf(resource), metadata),
  });
}
