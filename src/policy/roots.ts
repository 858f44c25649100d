import { isObject } from "../model/json.ts";

/** Whether the path is the root or below it; every path is below the empty root. */
export const isWithin = (path: string, root: string): boolean =>
  root === "" || path === root || path.startsWith(`${root}/`);

/** Whether two roots share a path. */
export const overlap = (a: string, b: string): boolean => isWithin(a, b) || isWithin(b, a);

/** The value at a path; undefined if there is none. */
export function valueAt(data: unknown, path: string): unknown {
  let value = data;
  for (const key of path.split("/")) value = isObject(value) ? value[key] : undefined;
  return value;
}

/** The data with another value at a path. The input is not changed. */
export function withValue(data: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const [key = "", ...rest] = path.split("/");
  if (rest.length === 0) return { ...data, [key]: value };
  const child = data[key];
  return { ...data, [key]: withValue(isObject(child) ? child : {}, rest.join("/"), value) };
}
