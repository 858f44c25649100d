import { isObject, textOf } from "../../../model/json.ts";
import type { Resource } from "../../types.ts";
import { classOf } from "./error-classes.ts";
import { notReady, ofClass, type Readiness } from "./state.ts";

const ENDS = new Set(["shutting-down", "terminated"]);

/** EC2's text names no key: `Client error on launch`. */
const KEY = "often the key of an encrypted volume, which ACK's role is not allowed to use";

/**
 * Why EC2 ended a machine that it had taken: its answer to RunInstances has no error, so ACK reports none. Null for one that runs, and for
 * ends that someone asked for or that are usual, as of a spot machine. The codes:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_StateReason.html
 */
export function machineIssue({ kind, status }: Resource): Readiness | null {
  const { state, stateReason } = status ?? {};
  if (kind !== "Instance" || !isObject(state) || !isObject(stateReason) || !ENDS.has(textOf(state["name"])))
    return null;
  const code = textOf(stateReason["code"]);
  const reason = code.replace(/^(?:Client|Server)\./, "");
  const known = classOf("aws", reason);
  if (known === null) return null;
  const more = code === "Client.InternalError" ? `; ${KEY}` : "";
  const message = `EC2 ended the machine while it started: ${textOf(stateReason["message"])}${more}`;
  return notReady(undefined, { reason, message, ...ofClass(known) });
}
