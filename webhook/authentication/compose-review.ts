import type { Part, ReviewScan } from "../review/scan-review.ts";

const membersOf = (text: string, parts: ReadonlyMap<string, Part>): string[] =>
  [...parts].map(([name, { start, end }]) => `"${name}":${text.slice(start, end)}`);

/**
 * The review with nothing but what is read of it, without its user, and with this old object (JSON): its own if omitted. Nothing is parsed: what is not
 * JSON is not JSON here either.
 */
export function composeReview(text: string, { parts }: ReviewScan, oldObject?: string): string {
  const request = new Map(parts.request);
  if (oldObject !== undefined) request.delete("oldObject");
  const members = membersOf(text, request);
  if (oldObject !== undefined) members.push(`"oldObject":${oldObject}`);
  return `{${[...membersOf(text, parts.review), `"request":{${members.join(",")}}`].join(",")}}`;
}
