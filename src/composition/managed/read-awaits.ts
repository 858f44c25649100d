import { isObject } from "../../model/json.ts";
import { ANNOTATION } from "../../model/names.ts";
import { isOverruled } from "../status/provider/ack-synced.ts";
import type { Resource } from "../types.ts";

/** A value that a manifest waits for: `ec2.services.k8s.aws/SecurityGroup/demo-sg:status.id`. */
export interface Awaited {
  group: string;
  kind: string;
  name: string;
  /** `status.id`, `status.pools[NAME].count`, or `status.conditions[TYPE]`: the time since when that condition is True. */
  path: string;
  /** A value that does not count: the one that was there when the manifest was rendered. */
  not: string | null;
}

function parseAwaited(text: string): Awaited | null {
  const [group, kind, name, path, not = null] =
    /^([^/]*)\/([^/]+)\/([^/:]+):([^!]+)(?:!=(.+))?$/.exec(text.trim())?.slice(1) ?? [];
  if (group === undefined || kind === undefined || name === undefined || path === undefined) return null;
  return { group, kind, name, path, not };
}

/** The values that the manifests of a release wait for; several values are separated by commas. */
export function readAwaits(manifests: Resource[]): Awaited[] {
  return manifests
    .flatMap(({ metadata }) => (metadata.annotations?.[ANNOTATION.awaits] ?? "").split(","))
    .map(parseAwaited)
    .filter((awaited) => awaited !== null);
}

/** Since when the condition of this type is True; null if it is not, or if it is one of ACK's that an error overrules. */
function trueSince(resource: Resource | undefined, type: string): unknown {
  const given = resource?.status?.["conditions"];
  const conditions = Array.isArray(given) ? given.filter(isObject) : [];
  if (type.startsWith("ACK.") && isOverruled(conditions)) return null;
  return conditions.find((one) => one["type"] === type && one["status"] === "True")?.["lastTransitionTime"] ?? null;
}

/** The awaited value; null if it is missing, empty, or the one that does not count. */
export function awaitedValue(resource: Resource | undefined, { path, not }: Awaited): unknown {
  const type = /^status\.conditions\[(.+)\]$/.exec(path)?.[1];
  const value = type === undefined ? valueAt(resource, path) : trueSince(resource, type);
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar && String(value) === not ? null : value;
}

/** The field of this name; `[NAME]` is the item of a list whose own `name` is NAME. */
function step(at: unknown, key: string): unknown {
  const name = /^\[(.*)\]$/.exec(key)?.[1];
  if (name === undefined) return isObject(at) ? at[key] : undefined;
  return Array.isArray(at) ? at.find((item) => isObject(item) && item["name"] === name) : undefined;
}

/** The value at a dotted path, in which `[NAME]` is an item of a list; null if it is missing or empty. */
export function valueAt(resource: Resource | undefined, path: string): unknown {
  const found = (path.match(/\[[^\]]{0,253}\]|[^.[\]]{1,253}/g) ?? []).reduce<unknown>(step, resource);
  return found === undefined || found === "" ? null : found;
}
