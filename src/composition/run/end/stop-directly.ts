import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../model/json.ts";
import { idOf } from "../../claims/object-ids.ts";
import { renderChart } from "../../helm/render-chart.ts";
import { otherHolder } from "../../release/recorded/holder-of.ts";
import { locate } from "../../release/recorded/list-recorded.ts";
import { type EnsureInput, type Wanted, wantedRelease } from "../../release/wanted-release.ts";
import type { Resource } from "../../types.ts";

const specOf = ({ spec }: Resource): Record<string, unknown> => (isObject(spec) ? spec : {});

/** The fields of spec that differ, as a merge patch. */
function changedFields(before: Resource, after: Resource): Record<string, unknown> {
  const [old, wanted] = [specOf(before), specOf(after)];
  const changed = [...new Set([...Object.keys(old), ...Object.keys(wanted)])].filter(
    (field) => !isDeepStrictEqual(old[field], wanted[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, wanted[field] ?? null]));
}

const render = ({ context, served, name, namespace, values }: Wanted): Promise<Resource[]> => {
  const slot = { namespace, isDeletion: false, isUrgent: true };
  const input = { chartDir: served.chart.directory, values, name, namespace };
  return context.withHelm(slot, (helm) => renderChart({ helm, ...input }));
};

/** Writes these fields, unless the object has them. False where it is not there, or not the release's. */
async function write({ context, name, namespace }: Wanted, manifest: Resource, spec: object): Promise<boolean> {
  const [found] = await locate(context, namespace, [manifest]);
  const client = context.tenant(namespace);
  const live = found === undefined ? null : await client.get<Resource>(found.path);
  if (found === undefined || live === null || (await otherHolder(context, live, { name, namespace })) !== null)
    return false;
  const isDone = Object.entries(spec).every(([field, value]) => isDeepStrictEqual(live.spec?.[field] ?? null, value));
  if (!isDone) await client.patch(found.path, "merge", { spec });
  return true;
}

/**
 * Stops what the chart of a release keeps stopped by `global.powerState`, by those fields alone: for a release that helm cannot upgrade, since something
 * else in it cannot be written. Creates and deletes nothing. Whether there was anything to stop. Throws REL_RENDER and REL_API….
 */
export async function stopDirectly(input: EnsureInput): Promise<boolean> {
  const { powerState: _, ...runValues } = input.runValues ?? {};
  const [on, off] = [await wantedRelease({ ...input, runValues }), await wantedRelease(input)];
  const before = new Map((await render(on)).map((manifest) => [idOf(manifest), manifest]));
  let isStopped = false;
  for (const manifest of await render(off)) {
    const running = before.get(idOf(manifest));
    const spec = running === undefined ? {} : changedFields(running, manifest);
    if (Object.keys(spec).length > 0 && (await write(off, manifest, spec))) isStopped = true;
  }
  return isStopped;
}
