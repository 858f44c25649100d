/** Segments of a path; an empty last one does not count. */
const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/**
 * Whether a URL is `base` or lies below it: the same scheme, host and port, and a path that begins with all of its segments.
 * `https://a.example` is not the beginning of `https://a.example.attacker.test`. A URL with a user name is below none.
 */
export function isBelowUrl(url: string, base: string): boolean {
  const [own, allowed] = [URL.parse(url), URL.parse(base)];
  if (own === null || allowed === null || own.username !== "" || own.password !== "") return false;
  // Schemes that URL does not know have no origin to compare.
  if (own.origin === "null" || own.origin !== allowed.origin) return false;
  const segments = segmentsOf(own.pathname);
  return segmentsOf(allowed.pathname).every((segment, index) => segments[index] === segment);
}
