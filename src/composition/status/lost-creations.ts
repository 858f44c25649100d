import { groupKindOf } from "../../model/kubernetes.ts";
import { table } from "../../model/table.ts";
import type { RetryTimes } from "../context/composition-context.ts";
import { valueAt } from "../managed/read-awaits.ts";
import { readiness, type Readiness } from "./readiness.ts";
import { type Found, idOf } from "./retry-times.ts";

interface Creation {
  /** The path of the id in the resource. */
  id: string;
  /** The right that its second call needs. */
  right: string;
}

/**
 * Kinds that ec2-controller makes by two calls. If the second fails, it drops the id (`return nil, err` in sdkCreate) and makes another one at each
 * attempt, from 5 ms on, until the quota is used up.
 */
const CREATIONS = table<Creation>({
  "ec2.services.k8s.aws/VPC": { id: "status.vpcID", right: "ec2:ModifyVpcAttribute" },
  "ec2.services.k8s.aws/InternetGateway": { id: "status.internetGatewayID", right: "ec2:AttachInternetGateway" },
  "ec2.services.k8s.aws/RouteTable": { id: "status.routeTableID", right: "ec2:CreateRoute" },
});

/** How its operator makes a resource that has no id yet; undefined for others. */
function creationOf({ live }: Found): Creation | undefined {
  const creation = live === null ? undefined : CREATIONS[groupKindOf(live)];
  return live === null || creation === undefined || valueAt(live, creation.id) !== null ? undefined : creation;
}

const beginOf = (found: Found): string => `creation of ${idOf(found)} ${found.live?.metadata.uid ?? ""}/`;

/** The errors that resources without an id had before the quota was used up. A restart of this process forgets them. */
export function creationErrors(found: readonly Found[], before: RetryTimes, nowSeconds: number): RetryTimes {
  const entries = found.flatMap((one): (readonly [string, number])[] => {
    if (one.live === null || creationOf(one) === undefined) return [];
    const { terminal, retrying, capacity, reason, message } = readiness(one.live);
    if (capacity || !(terminal || retrying)) return [...before].filter(([key]) => key.startsWith(beginOf(one)));
    return [[`${beginOf(one)}${reason}: ${message}`, nowSeconds]];
  });
  return new Map(entries);
}

/** The state of a resource that has no id where a quota is used up: its operator may have done that itself. Others stay as they are. */
export function withLostCreations(found: Found, state: Readiness, times: RetryTimes): Readiness {
  const creation = creationOf(found);
  if (creation === undefined || !/^(?:Vpc|InternetGateway|RouteTable)LimitExceeded$/.test(state.reason)) return state;
  const begin = beginOf(found);
  const earlier = [...times.keys()].find((key) => key.startsWith(begin))?.slice(begin.length);
  const cause = earlier === undefined ? "" : ` It failed before with ${earlier}.`;
  const message =
    `${state.message.replace(/\.$/, "")}; ACK may have used up the quota itself: it makes another ${found.kind} each time that a later call of the creation ` +
    `fails, for example without the right ${creation.right}.${cause} Correct that, and delete those in AWS that no resource names`;
  return { ...state, message };
}
