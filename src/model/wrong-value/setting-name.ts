import { table } from "../table.ts";
import { nearest } from "../text/nearest.ts";
import { namespaceSettings } from "./namespace-setting.ts";

const PREFIX = "landfall.dev";

/** Settings by the names that objects and other tools have for them. */
const OF_OBJECTS: Readonly<Record<string, string>> = table({
  ...Object.fromEntries(
    ["dataResidency", "data-residency", "areas", "countries"].map((name) => [name, `${PREFIX}/residency`]),
  ),
  ...Object.fromEntries(
    ["schedulingLocation", "location", "locations", "places"].map((name) => [name, `${PREFIX}/regions`]),
  ),
  ...Object.fromEntries(["osDisk", "disk-gib", "os-disk"].map((name) => [name, `${PREFIX}/os-disk-gib`])),
  ...Object.fromEntries(["objective", "strategy"].map((name) => [name, `${PREFIX}/optimize-for`])),
  ...Object.fromEntries(["quota-cpus", "quota-cores"].map((name) => [name, `${PREFIX}/quota-vcpus`])),
});

/** The setting of a namespace that a key is meant for, which is none; "" if it is Landfall's and like none, null for keys of others. */
export function meantSetting(key: string): string | null {
  const [prefix = "", name = ""] = key.split("/");
  if (prefix !== PREFIX && nearest(prefix, [PREFIX]) === null) return null;
  const near = OF_OBJECTS[name] ?? nearest(`${PREFIX}/${name}`, Object.keys(namespaceSettings()), 3);
  // Another vendor's domain is only meant as ours if what follows is one of our names.
  return near ?? (prefix === PREFIX ? "" : null);
}
