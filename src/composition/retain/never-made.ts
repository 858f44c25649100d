import { conditionsOf, groupKindOf } from "../../model/kubernetes.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { ReleaseRecord } from "../record/release-record.ts";
import { locate, manifestsOf } from "../release/recorded/list-recorded.ts";
import { isMachine, isMade } from "../status/shown-size.ts";
import type { Resource } from "../types.ts";

/**
 * Whether the operator of AWS or Azure has given up: it tries nothing again before its object changes. Those of Google Cloud and Elemento could make the
 * machine just before their object is deleted, and so could ACK after an error that it calls recoverable.
 */
function hasGivenUp(live: Resource): boolean {
  const conditions = conditionsOf(live);
  const [group = ""] = live.apiVersion.split("/");
  if (group.endsWith(".services.k8s.aws"))
    return conditions.some(({ type, status }) => type === "ACK.Terminal" && status === "True");
  const isError = (one: Record<string, unknown>): boolean => one["severity"] === "Error" && one["status"] === "False";
  return group.endsWith(".azure.com") && conditions.some((one) => one.type === "Ready" && isError({ ...one }));
}

const isGivenUp = (live: Resource): boolean =>
  live.metadata.deletionTimestamp === undefined && !isMade(live) && hasGivenUp(live);

/** Whether a machine can be, or have been, there of which no manifest tells. */
async function mayHaveHad(
  { runs }: Pick<CompositionContext, "runs">,
  uid: string,
  record: ReleaseRecord,
): Promise<boolean> {
  const { held = [], former = [] } = record;
  const run = await runs.read(uid);
  return held.length > 0 || former.length > 0 || (run !== null && (run.wasReady || run.machine !== null));
}

/**
 * Whether no machine of a release was ever made, nor will be: each revision's machine is there as its operator's object, without an id and with a terminal
 * error. Sizes that are held and objects of former revisions can be machines. So can one that the record of the run saw. Throws REL_API….
 */
export async function isNeverMade(
  context: Pick<CompositionContext, "discovery" | "tenant" | "runs">,
  uid: string,
  record: ReleaseRecord | null,
): Promise<boolean> {
  if (record === null || (await mayHaveHad(context, uid, record))) return false;
  const { namespace, revisions } = record;
  const manifests = [...(await manifestsOf(revisions)).values()].filter((one) => isMachine(groupKindOf(one)));
  const located = await locate(context, namespace, manifests);
  if (located.length === 0 || located.length < manifests.length) return false;
  for (const { path } of located) {
    const live = await context.tenant(namespace).get<Resource>(path);
    if (live === null || !isGivenUp(live)) return false;
  }
  return true;
}
