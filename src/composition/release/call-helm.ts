import { explainFailure } from "../helm/explain-failure.ts";
import type { ReleaseCall } from "../helm/calls.ts";
import { readConflict, type TakenObject } from "../helm/read-conflict.ts";
import { explainTaken } from "./explain-taken.ts";
import { isKind, resourcePrefix } from "../../model/names.ts";
import { LandfallError, messageOf } from "../../errors.ts";
import type { Resource } from "../types.ts";
import { findTaken } from "./recorded/find-taken.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { sizeLabels } from "../record/running-sizes.ts";
import { timedHelm } from "./timed-helm.ts";
import { pruneLeftovers } from "./prune-leftovers.ts";
import type { Wanted } from "./wanted-release.ts";

function callOf(wanted: Wanted, verb: "install" | "upgrade", awaited: string | null): ReleaseCall {
  const { served, name, namespace, uid, inputs, values } = wanted;
  const labels = {
    [RELEASE_LABEL.composition]: uid,
    [RELEASE_LABEL.inputs]: inputs,
    [RELEASE_LABEL.awaited]: awaited ?? "none",
    ...sizeLabels(wanted.composition.object),
  };
  return { verb, release: name, namespace, chart: served.chart, values, labels };
}

/**
 * The names that charts give to resources: the object's name, and the names in its spec. Two objects that share one may
 * render the same resource, and two helm processes that start together do not see each other's.
 */
function sharedNames({ composition: { object }, namespace }: Wanted): string[] {
  const { kind, metadata, spec = {} } = object;
  // Another name can render the same: `1` and `vm-1`.
  const prefix = isKind(kind) ? resourcePrefix(kind, object) : undefined;
  const given = Object.entries(spec).filter(([key]) => /name$/i.test(key));
  const names = [prefix, metadata.name, ...given.map(([, value]) => value)].filter((name) => typeof name === "string");
  return [...new Set(names.map((name) => `${namespace}/${name.replaceAll(".", "-")}`))];
}

/** Leftovers of an earlier failure are removed; reporting this failure matters more. */
async function pruneAfterFailure(wanted: Wanted): Promise<void> {
  const { context, name, namespace } = wanted;
  try {
    const record = await context.records.read(namespace, name);
    await pruneLeftovers(wanted, record?.revisions ?? []);
  } catch (thrown) {
    context.log.warn({ release: name, namespace, error: messageOf(thrown) }, "leftovers were not removed");
  }
}

/** Refuses a revision with an object that another release has by its record: Helm asks only the object's own marks, which users can write. */
function guardOf({ context, name: release, namespace }: Wanted) {
  const guarded = {
    taken: null as TakenObject | null,
    async guard(manifests: readonly Resource[]): Promise<void> {
      guarded.taken = await findTaken(context, { namespace, release, manifests, hasOwn: true });
      if (guarded.taken !== null)
        throw new LandfallError("REL_OBJECT_TAKEN", { ...guarded.taken, holder: "another release" });
    },
  };
  return guarded;
}

const refusal = ({ context, composition }: Wanted, taken: TakenObject): Promise<LandfallError> =>
  explainTaken(context, composition.object, "REL_OBJECT_TAKEN", taken);

/**
 * Installs or upgrades the release. False if nothing was done, since helm is at work on an object that shares a name with this
 * one. Throws REL_RENDER, REL_OBJECT_TAKEN, REL_OBJECT_DELETING, REL_OBJECT_ORPHANED, REL_HELM.
 */
export async function callHelm(wanted: Wanted, verb: "install" | "upgrade", awaited: string | null): Promise<boolean> {
  const { context, served, name, namespace } = wanted;
  const call = callOf(wanted, verb, awaited);
  const guarded = guardOf(wanted);
  const result = await context.alone(sharedNames(wanted), () => timedHelm(context, call, guarded));
  if (result === null) return false;
  if (guarded.taken !== null) throw await refusal(wanted, guarded.taken);
  if (result.code === 0) return true;
  await pruneAfterFailure(wanted);
  const taken = readConflict(result.stderr, name, namespace);
  if (taken) throw await refusal(wanted, taken);
  throw explainFailure({ action: verb, release: name, chart: served.chart.name, stderr: result.stderr });
}
