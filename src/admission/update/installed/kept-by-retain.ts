import type { Denial, Placement } from "../../../model/decision.ts";
import { isInstalled } from "../../../model/decision-annotation/pause.ts";
import { isObject } from "../../../model/json.ts";
import { placeName } from "../../../model/workload.ts";
import { denial } from "../../check/denial.ts";
import { type Change, isNextRun, specOf } from "../change.ts";

/**
 * Whether something is installed that its operator leaves at the provider when it is removed: by the stored spec, or by the record of
 * what was installed, as an object that is paused can ask for something else since.
 */
function isRetained(change: Change): boolean {
  const { oldObject } = change.update;
  const { owners } = change.context;
  if (isNextRun(change)) return false;
  if (owners.runningOf(oldObject).some(({ retains }) => retains === true)) return true;
  if (specOf(oldObject)["deletionPolicy"] !== "retain") return false;
  return isInstalled(oldObject) || owners.isInstalled(oldObject, placeName(change.earlier.placement));
}

/** The names in a list of pools or disks. */
function namesIn(spec: Record<string, unknown>, field: string): string[] {
  const list = Array.isArray(spec[field]) ? (spec[field] as unknown[]) : [];
  return list.flatMap((item) => (isObject(item) && typeof item["name"] === "string" ? [item["name"]] : []));
}

const PARTS = { nodePools: "pool", disks: "disk" } as const;

/**
 * The pools and disks that the change takes away from an object that retains its resources. The upgrade would delete only the
 * operator's objects: the nodes and disks would stay at the provider, where no object and no quota counts them.
 */
export function retainedParts(change: Change): Denial[] {
  if (!isRetained(change)) return [];
  const [next, old] = [specOf(change.update.object), specOf(change.update.oldObject)];
  return Object.entries(PARTS).flatMap(([field, noun]) => {
    const kept = new Set(namesIn(next, field));
    return namesIn(old, field)
      .filter((name) => !kept.has(name))
      .map((name) => denial("ADM_RETAINED", { field: `spec.${field}`, actual: name }, { what: `${noun} ${name}` }));
  });
}

/** The denial if an object that retains its resources would leave some behind in its present place. */
export function retainedPlace(change: Change, to: Placement | null): Denial[] {
  const { placement: from } = change.earlier;
  if (to === null || !isRetained(change)) return [];
  if (placeName(to) === placeName(from) && to.zone === from.zone) return [];
  const what = `everything in ${[placeName(from), ...(from.zone === null ? [] : [from.zone])].join(", zone ")}`;
  return [denial("ADM_RETAINED", { field: "spec.schedulingLocation", actual: placeName(to) }, { what })];
}
