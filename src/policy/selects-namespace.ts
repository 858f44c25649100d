import type { NamespaceSelector } from "../model/bundle-format/other-bundle.ts";
import type { NamespaceData } from "../model/kubernetes.ts";

/** A name, or the beginning of names before `*`. */
const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Whether the rules of a bundle with this selector are asked about objects of a namespace. Without one, about those of all. */
export function selectsNamespace(selector: NamespaceSelector | null, { name, labels }: NamespaceData): boolean {
  if (selector === null) return true;
  const wanted = Object.entries(selector.labels);
  const isLabelled = wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
  return isLabelled || selector.names.some((pattern) => matches(pattern, name));
}
