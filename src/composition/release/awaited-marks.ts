import { sha256 } from "../../model/sha256.ts";
import { canonicalJson } from "../../model/json.ts";
import type { Awaited } from "../managed/read-awaits.ts";

const DIGITS = 8;
/** A label has at most 63 characters. */
const MOST = 7;

const digest = (value: unknown): string => sha256(canonicalJson(value)).slice(0, DIGITS);

/** A mark of one awaited value. */
export const markOf = ({ group, kind, name, path }: Awaited, value: unknown): string =>
  digest([group, kind, name, path, value]);

/** The marks as the value of a label; null for none. More than fit are one mark together. */
export function joinMarks(marks: readonly string[]): string | null {
  if (marks.length === 0) return null;
  const sorted = [...new Set(marks)].sort();
  return sorted.length > MOST ? digest(sorted) : sorted.join(".");
}

/** Whether a value is available that the revision was rendered without. Values that went away ask for no upgrade. */
export const isNews = (awaited: string, rendered: string | undefined): boolean => {
  const known = new Set((rendered ?? "").split("."));
  return awaited.split(".").some((mark) => !known.has(mark));
};
