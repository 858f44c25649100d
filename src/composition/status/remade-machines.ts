import { groupKindOf } from "../../model/kubernetes.ts";
import { valueAt } from "../managed/read-awaits.ts";
import type { RetryTimes } from "../context/composition-context.ts";
import { readiness, type Readiness } from "./readiness.ts";
import { type Found, idOf } from "./retry-times.ts";
import { idIn } from "./status-limits.ts";

/** The kind whose operator makes a machine again that its provider ended, without an error. */
const REMADE = "ec2.services.k8s.aws/Instance";
/** So many machines of one resource may end before they are ready. */
const MOST_MADE = 3;
/** The last ones of a resource that are remembered. */
const MOST_KEPT = 100;
/** In place of a time: a machine that was ready. */
const WAS_READY = Infinity;

const beginOf = (found: Found): string => `machine of ${idOf(found)} ${found.live?.metadata.uid ?? ""}/`;

/** The key of the machine that its resource has now; null without one. */
function keyOf(found: Found): string | null {
  const { live } = found;
  if (live === null || groupKindOf(live) !== REMADE) return null;
  const id = idIn(valueAt(live, "status.instanceID"));
  return id === null ? null : `${beginOf(found)}${id}`;
}

/** The machines of a resource since its last one that was ready, and when each was seen first. */
function machinesOf(found: Found, before: RetryTimes, nowSeconds: number): (readonly [key: string, since: number])[] {
  const key = keyOf(found);
  if (key === null || found.live === null) return [];
  if (readiness(found.live).ready) return [[key, WAS_READY]];
  const known = [...before].filter(([one]) => one.startsWith(beginOf(found)));
  return known.some(([one]) => one === key) ? known : [...known, [key, nowSeconds] as const].slice(-MOST_KEPT);
}

/** The ids of machines are in no other place once their operator made others. A restart of this process forgets them, and counts again. */
export const machineTimes = (found: readonly Found[], before: RetryTimes, nowSeconds: number): RetryTimes =>
  new Map(found.flatMap((one) => machinesOf(one, before, nowSeconds)));

const neverReady = (found: Found, times: RetryTimes): string[] =>
  machinesOf(found, times, 0)
    .filter(([, since]) => since !== WAS_READY)
    .map(([key]) => key.slice(beginOf(found).length));

/** Whether as many machines as may end were made, and none was ready: its operator is not helped to make another. */
export const isRemadeOften = (found: Found, times: RetryTimes): boolean => neverReady(found, times).length >= MOST_MADE;

/** That machines of a resource ended before they were ready; null for fewer, and while the last of them starts. */
export function remadeOften(found: Found, times: RetryTimes): Readiness | null {
  if (found.live === null || !isRemadeOften(found, times)) return null;
  const state = readiness(found.live);
  const hasFailed = state.terminal || state.capacity || state.retrying;
  const ids = neverReady(found, times);
  const ended = hasFailed ? ids : ids.slice(0, -1);
  if (ended.length < MOST_MADE) return null;
  const region = idIn(valueAt(found.live, "status.ackResourceMetadata.region")) ?? "REGION";
  const command =
    `aws ec2 describe-instances --region ${region} --instance-ids ${ended.slice(-MOST_MADE).join(" ")} ` +
    "--query 'Reservations[].Instances[].[InstanceId,StateReason.Code,StateReason.Message]' --output text";
  const message =
    `EC2 ended ${String(ended.length)} machines before they were ready, and ACK made another each time. For about an hour, ` +
    `\`${command}\` says why. Correct that, delete the object and create it again`;
  return { ...state, terminal: true, settles: state.retrying, reason: "MachinesEnded", message };
}
