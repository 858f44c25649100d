import { LandfallError } from "../errors.ts";

declare const brand: unique symbol;

/** A path at the API server. Only this file makes one, so a text from an object cannot become a path alone. */
export type ApiPath = string & { readonly [brand]: true };

/** Parameters of a request. The client encodes them. */
export interface ApiQuery {
  readonly allowWatchBookmarks?: boolean;
  readonly continue?: string;
  readonly dryRun?: "All";
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly labelSelector?: string;
  readonly limit?: number;
  readonly resourceVersion?: string;
  readonly timeoutSeconds?: number;
  readonly watch?: boolean;
}

/** Characters that end a segment or go up a folder; also encoded, in case a proxy decodes the path before it resolves it. */
const UNSAFE = /^$|^\.{1,2}$|[/\\%\p{Cc}]/u;

/** One segment, encoded. Throws REL_PATH where it could be read as anything but one name. */
function encodeSegment(segment: string): string {
  if (UNSAFE.test(segment)) throw new LandfallError("REL_PATH", { segment: JSON.stringify(segment) });
  return encodeURIComponent(segment);
}

/**
 * Makes a path: apiPath`/api/v1/namespaces/${namespace}/secrets/${name}`. Each interpolated text is exactly one segment.
 * Throws REL_PATH where one is empty, `.` or `..`, or has a character that no name of an object has.
 */
export function apiPath(literals: TemplateStringsArray, ...segments: string[]): ApiPath {
  return String.raw({ raw: literals }, ...segments.map(encodeSegment)) as ApiPath;
}

/** The path of something below `path`: its subresource, or an object of a collection. Throws REL_PATH. */
export const below = (path: ApiPath, ...segments: string[]): ApiPath =>
  [path, ...segments.map(encodeSegment)].join("/") as ApiPath;

/** The path of a group and version, `v1` or `apps/v1`. Throws REL_PATH. */
export function versionPath(apiVersion: string): ApiPath {
  const [group = "", version, ...more] = apiVersion.split("/");
  if (version === undefined) return apiPath`/api/${group}`;
  return more.length === 0 ? apiPath`/apis/${group}/${version}` : apiPath`/apis/${apiVersion}`;
}

/** Reads a path that was stored as text; null where it is not one that this file would make. */
export function parseApiPath(text: string): ApiPath | null {
  const [start, root, ...segments] = text.split("/");
  const isPath = start === "" && (root === "api" || root === "apis") && segments.length > 0;
  if (!isPath || segments.some((segment) => UNSAFE.test(segment))) return null;
  return `/${root}/${segments.map(encodeURIComponent).join("/")}` as ApiPath;
}

const OBJECT_PATH = /^\/(?:api|apis\/[^/]+)\/[^/]+\/namespaces\/([^/]+)\/([^/]+)\/[^/]+$/;

/**
 * Whether this is the path of one object of the namespace: no collection, no subresource such as `proxy` or `log`, and none of its
 * Secrets. What a user wrote as a path is read only if it is.
 */
export function isPathIn(namespace: string, path: ApiPath): boolean {
  const [, found, plural] = OBJECT_PATH.exec(path) ?? [];
  return found === namespace && plural !== "secrets";
}

/** `?watch=true&limit=1`, or nothing. */
export function queryText(query: ApiQuery = {}): string {
  const entries = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries).toString()}`;
}
