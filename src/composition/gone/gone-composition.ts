import type { ApiPath } from "../../cluster/api-path.ts";
import { isObject } from "../../model/json.ts";
import type { RunRecord } from "../../model/runs/run-record.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { LABEL } from "../keys.ts";
import { otherHolder } from "../release/recorded/holder-of.ts";
import { readRelease } from "../release/read-release.ts";
import type { Resource } from "../types.ts";
import { goneKey } from "../run/end/gone-run.ts";

export interface EndedComposition extends Composition {
  release: string;
  /** Whether resources of its release are another recorded release's by now. */
  isTakenOver: boolean;
}

/** Whether another release of the namespace has one of these by Landfall's records. */
async function isTakenOver(
  context: CompositionContext,
  { namespace, release, paths }: { namespace: string; release: string; paths: ApiPath[] },
): Promise<boolean> {
  for (const path of paths) {
    const live = await context.tenant(namespace).get<Resource>(path);
    if (live !== null && (await otherHolder(context, live, { name: release, namespace })) !== null) return true;
  }
  return false;
}

/**
 * The former state of an object that is gone, by the records of its run and its release. Nothing of it is at `path`. Throws the API
 * server's errors.
 */
export async function goneComposition(
  context: CompositionContext,
  run: RunRecord,
  { release, path }: { release: string; path: ApiPath },
): Promise<EndedComposition> {
  const { kind, namespace, name, uid } = run;
  const [newest] = (await context.records.read(namespace, release))?.revisions ?? [];
  const global = newest === undefined ? {} : valuesIn(newest.release)["global"];
  const textOf = (field: string): string => {
    const text = isObject(global) ? global[field] : undefined;
    return typeof text === "string" ? text : "";
  };
  const labels = { [LABEL.releaseName]: release, [LABEL.version]: textOf("compositionInstalledVersion") };
  const object = { apiVersion: textOf("compositionApiVersion"), kind, metadata: { namespace, name, uid, labels } };
  const composition = { key: goneKey(run), path, object };
  const read = newest === undefined ? null : await readRelease(context, composition, newest).catch(() => null);
  const managed = (read?.objects ?? []).map(({ entry }) => entry);
  const paths = managed.map((entry) => entry.path);
  return {
    ...{ ...composition, release, object: { ...object, status: { managed } } },
    isTakenOver: await isTakenOver(context, { namespace, release, paths }),
  };
}
