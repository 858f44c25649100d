import type { Scalar } from "yaml";

/** The number or boolean, as text, that YAML reads where a file without quotes has another text; null for other values. */
export function otherText({ source, type, value }: Scalar): string | null {
  if (type !== "PLAIN" || (typeof value !== "number" && typeof value !== "boolean")) return null;
  return source === undefined || source === String(value) ? null : String(value);
}
