import type { Denial } from "../../model/decision.ts";

/** The subject of a denial, without positions in lists: removing one item moves the others. */
function aboutOf({ code, field, actual, allowed, message, source = "" }: Denial): string {
  const parts = [code, field, actual, allowed, message, source];
  return JSON.stringify(parts.map((part) => (typeof part === "string" ? part.replace(/\[\d{1,9}\]/g, "[]") : part)));
}

/**
 * The denials that a change adds. A denial was there before if the same bundle said the same about the same field and value:
 * another rule may use the same code, and another team the same words. As many equal ones as before are no addition.
 */
export function addedDenials(after: readonly Denial[], before: readonly Denial[]): Denial[] {
  const left = new Map<string, number>();
  for (const denial of before) left.set(aboutOf(denial), (left.get(aboutOf(denial)) ?? 0) + 1);
  return after.filter((denial) => {
    const about = aboutOf(denial);
    const count = left.get(about) ?? 0;
    left.set(about, count - 1);
    return count <= 0;
  });
}
