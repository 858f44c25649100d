import type { ManagedResource } from "../../../../src/console/contract/resources.ts";

/**
 * The resources in columns from left to right: each stands behind all that it needs. Resources that need each other stand in the column
 * where the walk met them first. Pure.
 */
export function layersOf(resources: readonly ManagedResource[]): ManagedResource[][] {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const depths = new Map<string, number>();
  const depthOf = (id: string, above: ReadonlySet<string>): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    if (above.has(id)) return 0;
    const inside = new Set([...above, id]);
    const needs = (byId.get(id)?.needs ?? []).filter((need) => byId.has(need));
    const depth = needs.length === 0 ? 0 : 1 + Math.max(...needs.map((need) => depthOf(need, inside)));
    depths.set(id, depth);
    return depth;
  };
  const layers = Map.groupBy(resources, ({ id }) => depthOf(id, new Set()));
  return [...layers].sort(([a], [b]) => a - b).map(([, layer]) => layer);
}
