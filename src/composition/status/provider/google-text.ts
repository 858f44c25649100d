/** An error as Config Connector writes it into a condition, in parts. */
export interface GoogleText {
  /** The word that googleapi puts last, with a capital letter: `…, quotaExceeded` gives QuotaExceeded. Null for an error without one. */
  code: string | null;
  /** Google's words, without the code: the reason of the condition has that already. An error without a code keeps its HTTP status. */
  words: string;
}

/**
 * Config Connector's and the Terraform provider's words before those of Google: of an update and of a deletion (Config Connector, issues 416
 * and 479).
 */
const FRAME =
  /^(?:(?:Update|Delete) call failed: )?(?:error (?:applying desired state|deleting resource|fetching live state): )?(?:error reading underlying resource: )?(?:summary: )?/;

/** Before it omitted a detail that is empty, Config Connector ended each text with one (issue 358). */
const NO_DETAIL = /, detail:\s{0,8}$/;

const STATUS = /googleapi: Error \d{3}: /;
const LAST_WORD = /,\s{0,8}([a-zA-Z]{1,100})\s{0,8}$/;

/** Several errors in one answer: googleapi lists them, each with its code, after the message. */
const LISTED = /\nMore details:\s{0,8}Reason: ([a-zA-Z]{1,100}),/;

/** The begin of the JSON that googleapi writes between the message and its code, with an id that differs with each request. */
const DETAILS = "\nDetails:\n";

/** The text without the details of the answer; they end at the line with the bracket that closes them. */
function withoutDetails(text: string): string {
  const start = text.indexOf(DETAILS);
  if (start < 0) return text;
  const end = text.indexOf("\n]", start);
  return text.slice(0, start) + (end < 0 ? "" : text.slice(end + 2).trimStart());
}

function parted(text: string): { code: string | undefined; message: string } {
  const listed = LISTED.exec(text);
  if (listed) return { code: listed[1], message: text.slice(0, listed.index) };
  const last = LAST_WORD.exec(text);
  return last ? { code: last[1], message: text.slice(0, last.index) } : { code: undefined, message: text };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Reads the message of a condition of Config Connector. The form of an error is `Error` of googleapi/googleapi.go in googleapis/google-api-go-client. */
export function readGoogleText(condition: string): GoogleText {
  const text = withoutDetails(condition.replace(FRAME, "").replace(NO_DETAIL, ""));
  const { code, message } = STATUS.test(text) ? parted(text) : { code: undefined, message: text };
  return code === undefined ? { code: null, words: text } : { code: capital(code), words: message.replace(STATUS, "") };
}
