import type { ApiError } from "../../cluster/client/api-error.ts";
import type { TriedDenial } from "../contract/trying.ts";
import { saidBy } from "../server/problem-of.ts";

const plain = (code: string, message: string, field: string | null, remedy = ""): TriedDenial => ({
  ...{ code, message, remedy, field, patch: null },
});

/** The end of a denial as the webhook writes it: `[POL_QUOTA, POL_REGION, decision 4711aa, bundle sha256:…]`. */
const FOOTER = /\n {2}\[([A-Z][A-Z0-9_]{1,63}(?:, [A-Z][A-Z0-9_]{1,63}){0,50}), decision [^\n]{1,200}\]$/;
/** Begins each denial but the first. Other lines are about the places and the remedy. */
const ALSO = "  also: ";

/** The text of one denial in a line of the webhook's answer. A long answer is cut at its end. */
const denialIn = (line: string): string => line.replace(ALSO, "").replace(/…$/, "");

const isSame = (said: string, { message }: TriedDenial): boolean => said.includes(message) || message.startsWith(said);

/** The denials of a line, as this console knows them; the line itself if only the cluster gives it. */
function linesDenials(line: string, codes: readonly string[], here: readonly TriedDenial[]): TriedDenial[] {
  const said = denialIn(line);
  const known = here.filter((denial) => codes.includes(denial.code) && isSame(said, denial));
  if (known.length > 0) return known;
  const others = codes.filter((code) => !here.some((denial) => denial.code === code));
  return [plain(others.length === 0 ? codes.join(", ") : others.join(", "), said, null)];
}

/**
 * The denials of a refused dry run. One that this console's bundle gives as well has its field and its patch; all others have the words of the
 * API server, so that nothing that only the cluster knows is lost. Pure.
 */
export function readRefusal(refused: ApiError, here: readonly TriedDenial[], name: string): TriedDenial[] {
  if (refused.status === 409)
    return [plain("REL_API", `an object ${name} exists already`, "metadata.name", "write another name")];
  const said = saidBy(refused);
  const [footer = "", codes] = FOOTER.exec(said) ?? [];
  // Written by a team's own template, or by something else than Landfall's webhook.
  if (codes === undefined) return [plain("REL_API", said, null), ...here.filter(({ code }) => said.includes(code))];
  const lines = said
    .slice(0, -footer.length)
    .split("\n")
    .filter((line, at) => at === 0 || line.startsWith(ALSO));
  const all = codes.split(", ");
  const [first = ""] = lines;
  const own = here.filter(({ code }) => code === codes);
  const [only] = own;
  // The same reason with other figures, such as the number of places.
  if (lines.length === 1 && own.length === 1 && only !== undefined) return [{ ...only, message: denialIn(first) }];
  return [...new Set(lines.flatMap((line) => linesDenials(line, all, here)))];
}
