import { ANNOTATION } from "./names.ts";

/** What is shown of a reason. */
const LIMIT = 200;

/** Why its user wants an object to start at once, in one line; null where nobody asked for it or no reason is given. */
export function startReason(object: { metadata: { annotations?: Record<string, string> } }): string | null {
  const text = (object.metadata.annotations?.[ANNOTATION.startNow] ?? "").replaceAll(/\s+/g, " ").trim();
  return text === "" ? null : text.slice(0, LIMIT);
}
