import { isObject, stringOf } from "../json.ts";
import type { KubernetesObject } from "../kubernetes.ts";
import { ANNOTATION } from "../names.ts";
import { sha256 } from "../sha256.ts";

/** Most characters of a value of `landfall.dev/run`. */
export const RUN_LENGTH = 63;

/** Replaces a value beyond the limit, from an earlier version or written while no webhook was called. Applying it again changes nothing. */
export const shortRun = (run: string): string =>
  run.length <= RUN_LENGTH ? run : `sha256-${sha256(run).slice(0, RUN_LENGTH - "sha256-".length)}`;

/** Which run an object asks for: the value of `landfall.dev/run`, at most RUN_LENGTH characters; empty without it. */
export const runOf = ({ metadata }: Pick<KubernetesObject, "metadata">): string =>
  shortRun(metadata.annotations?.[ANNOTATION.run] ?? "");

/** Whether `asked` asks for another run than `known`. No value asks for nothing: a manifest that is applied without the annotation runs nothing again. */
export const isAnotherRun = (asked: string, known: string): boolean => asked !== "" && asked !== known;

/** When the last run of an object ended, as its controller says; empty while it lasts, and without one. */
export function runEnded({ status }: { status?: unknown }): string {
  const run = isObject(status) ? status["run"] : null;
  return isObject(run) ? stringOf(run["ended"]) : "";
}

interface Run {
  metadata: KubernetesObject["metadata"];
  spec?: unknown;
  status?: unknown;
}

/** When the run of an object ended, where nothing is changed for it any more: the next object asks for no other run. Null for others, and for one whose machine is stopped, which still follows its object. */
export function overSince(live: Run, next: Run): string | null {
  const ended = runEnded(live);
  const isStopped = isObject(next.spec) && next.spec["whenDone"] === "stop";
  return ended === "" || isStopped || isAnotherRun(runOf(next), runOf(live)) ? null : ended;
}

/** The value of `landfall.dev/completed` that reports a completion. */
export const COMPLETIONS = ["succeeded", "failed"] as const;

/**
 * The options for a machine that someone stopped or deleted by hand. `auto`: its operator acts as usual. `never`: nothing that can
 * be left undone. `recreate`: also a stopped machine that its operator cannot start is deleted and created again.
 */
const REPAIR_POLICIES = ["auto", "never", "recreate"] as const;
export type RepairPolicy = (typeof REPAIR_POLICIES)[number];

interface Annotated {
  metadata: { annotations?: Record<string, string> };
}

const written = ({ metadata }: Annotated): string | undefined => metadata.annotations?.[ANNOTATION.repair];

/** The policy of an object; admission refuses other words, and an object from before it has the default. */
export const repairPolicy = (object: Annotated): RepairPolicy =>
  REPAIR_POLICIES.find((one) => one === written(object)) ?? "auto";

/** The word that is not a policy, if the change brings it; null otherwise. */
export function unknownPolicy(object: Annotated, oldObject: Annotated | null): string | null {
  const now = written(object);
  if (now === undefined || (oldObject !== null && now === written(oldObject))) return null;
  return REPAIR_POLICIES.some((one) => one === now) ? null : now;
}
