/** Part of a text: from its first character to the one after its last. */
export type Span = readonly [from: number, to: number];

/**
 * The value of a name such as DB_PASSWORD, aws_secret_access_key or "apiToken": a text in quotes, a block of YAML, or the text up to
 * the next space. The backslashes are those of JSON within JSON.
 */
const ASSIGNED =
  /(?:pass(?:word|wd|phrase)|secret|token|(?:api|access|private)[_-]?key|credential)[\w.-]{0,64}\\?["']?\s{0,64}[:=]{1,2}\s{0,64}(?:[|>][^]*|\\?"[^"]*|'[^']*|\S+)/gi;

/**
 * SSH keys, tokens of well-known makers, passwords in addresses and arguments. No repetition is unbounded but the last
 * one, so that the time grows with the length of the text alone.
 */
const TOKENS = [
  /(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{1,4}|sk-(?:ssh|ecdsa)[\w@.-]{0,64})\s{1,64}[A-Za-z0-9+/=]{16,}/gi,
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16})/gi,
  /\b(?:bearer|basic)\s{1,64}[\w+/=.~-]{16,}/gi,
  ASSIGNED,
  /--(?:[a-z]{1,16}-){0,3}(?:pass(?:word|wd|phrase)|secret|token|api-?key|access-?key|credentials?)\s{1,64}\S+/gi,
  /:\/\/[^/\s:@]{0,100}:[^@\s/]{1,200}@/g,
];

const PEM_BEGIN = /-----BEGIN [A-Z ]{1,64}-----/gi;
const PEM_END = /-----END [A-Z ]{1,64}-----/gi;
/** User data is secret up to its end. */
const USER_DATA = /#cloud-config\b|#!\s{0,64}\//i;
/** The shortest JSON Web Token: eyJ and 8 characters, twice a dot, and 8 between them. */
const TOKEN_RUN = /[\w.-]{21,}/g;
const WEB_TOKEN = { start: "eyJ", rest: 8, payload: 8 } as const;

const spanOf = (match: RegExpExecArray): Span => [match.index, match.index + match[0].length];

function pemSpans(text: string): Span[] {
  const spans: Span[] = [];
  PEM_BEGIN.lastIndex = 0;
  for (let begin = PEM_BEGIN.exec(text); begin !== null; begin = PEM_BEGIN.exec(text)) {
    PEM_END.lastIndex = PEM_BEGIN.lastIndex;
    const end = PEM_END.exec(text) === null ? text.length : PEM_END.lastIndex;
    spans.push([begin.index, end]);
    PEM_BEGIN.lastIndex = end;
  }
  return spans;
}

/** The JSON Web Tokens in a run of their characters, which begins at `offset`. */
function webTokens(run: string, offset: number): Span[] {
  const spans: Span[] = [];
  const segments = run.split(".");
  let at = offset;
  for (const [index, segment] of segments.entries()) {
    const start = segment.indexOf(WEB_TOKEN.start);
    const [payload = "", signature] = segments.slice(index + 1, index + 3);
    const isHeader = start >= 0 && segment.length - start >= WEB_TOKEN.start.length + WEB_TOKEN.rest;
    if (isHeader && payload.length >= WEB_TOKEN.payload && signature !== undefined)
      spans.push([at + start, at + segment.length + payload.length + signature.length + 2]);
    at += segment.length + 1;
  }
  return spans;
}

/** The parts of a text that look like secrets, in any order; they may overlap. Linear in the length of the text. */
export function findSecrets(text: string): Span[] {
  const spans: Span[] = TOKENS.flatMap((token) => Array.from(text.matchAll(token), spanOf));
  if (text.includes("-----")) spans.push(...pemSpans(text));
  if (text.includes(WEB_TOKEN.start))
    for (const run of text.matchAll(TOKEN_RUN)) spans.push(...webTokens(run[0], run.index));
  const userData = text.search(USER_DATA);
  if (userData >= 0) spans.push([userData, text.length]);
  return spans;
}
