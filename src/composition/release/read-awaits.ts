import { isObject } from "../../model/json.ts";
import { ANNOTATION } from "../../model/names.ts";
import type { Resource } from "../types.ts";

/** A value that a manifest waits for: `ec2.services.k8s.aws/SecurityGroup/demo-sg:status.id`. */
export interface Awaited {
  group: string;
  kind: string;
  name: string;
  /** `status.id` */
  path: string;
}

function parseAwaited(text: string): Awaited | null {
  const [group, kind, name, path] = /^([^/]*)\/([^/]+)\/([^/:]+):(.+)$/.exec(text.trim())?.slice(1) ?? [];
  if (group === undefined || kind === undefined || name === undefined || path === undefined) return null;
  return { group, kind, name, path };
}

/** What the manifests of a release wait for; several values are separated by commas. */
export function readAwaits(manifests: Resource[]): Awaited[] {
  return manifests
    .flatMap(({ metadata }) => (metadata.annotations?.[ANNOTATION.awaits] ?? "").split(","))
    .map(parseAwaited)
    .filter((awaited) => awaited !== null);
}

/** The value at a dotted path; null if it is missing or empty. */
export function valueAt(resource: Resource | undefined, path: string): unknown {
  const found = path.split(".").reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), resource);
  return found === undefined || found === "" ? null : found;
}
