type Header = string | string[] | undefined;

/** The part before each text of `299 - "text", 299 - "text"` (RFC 7234, section 5.5): within a text, a quote stands behind a backslash. */
const AGENT = /(?:^|, )299 [^\s"]{1,200} (?=")/;

/** The texts of the header Warning, as API servers write it. */
export const warningsIn = (header: Header): string[] =>
  [header ?? []]
    .flat()
    .flatMap((line) => line.split(AGENT))
    .filter((part) => part.startsWith('"') && part.endsWith('"'))
    .map((quoted) => quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1"));

/** The seconds of the header Retry-After; null without one, and for a date, which API servers do not write. */
export const secondsIn = (header: Header): number | null =>
  typeof header === "string" && /^\d{1,6}$/.test(header) ? Number(header) : null;
