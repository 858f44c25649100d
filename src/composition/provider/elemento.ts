import type { Rule } from "./state.ts";
import { find, fromReady, notReady, UNSEEN } from "./state.ts";

/** Codes of Elemento's API that the same request gets again. */
const REFUSALS = new Set([
  "BadRequest",
  "Forbidden",
  "ImageDownloadFailed",
  "InvalidServerType",
  "NoSpaceLeftInLocation",
  "NotAllocable",
  "NotFound",
  "PlacementError",
  "ResourceLimitExceeded",
  "UniquenessError",
  "UpdateUnsupported",
]);
const WAITS = new Set(["", "Creating", "Deleting", "Pending", "Registering", "Starting", "Updating", "Waiting"]);

/** Elemento: our own operator. The reason is the API's code; a severity, where given, says whether it goes on trying. */
export const elemento: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (!condition) return UNSEEN;
  const { reason = "", severity } = condition;
  const terminal = severity === undefined ? REFUSALS.has(reason) : severity === "Error";
  const retrying = !terminal && severity !== "Info" && !WAITS.has(reason);
  return fromReady(resource, condition) ?? notReady(condition, { terminal, retrying });
};
