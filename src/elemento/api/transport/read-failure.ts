import { type ErrorCode, LandfallError } from "../../../errors.ts";
import { isObject } from "../../../model/json.ts";
import type { Call } from "./call.ts";
import type { ElementoCode } from "../failure-class.ts";
import { API_CODES, HTTP_CODES } from "../inferred.ts";

const DETAIL_LENGTH = 200;
/** The only part of an answer that is not JSON that may become a reason. */
const WORD = /^[A-Za-z][\w ]{1,60}$/;

const textIn = (value: unknown, ...keys: string[]): string => {
  if (!isObject(value)) return "";
  return (
    keys.map((key) => value[key]).find((found): found is string => typeof found === "string" && found !== "") ?? ""
  );
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The invalid fields as the backend services report them: `ram: WRONG_VALUE in BODY`. */
function fieldErrors(body: unknown): string {
  const list = isObject(body) && Array.isArray(body["field_errors"]) ? body["field_errors"] : [];
  return list
    .map((entry) => `${textIn(entry, "field")}: ${textIn(entry, "error")} in ${textIn(entry, "where")}`)
    .join(", ");
}

/** `not_found` and `NotFound` are the same code; a condition's reason uses the second form. */
const camelCase = (word: string): string =>
  word.replace(/(?:^|[\s_-]{1,9})([a-z0-9])/gi, (_, first: string) => first.toUpperCase()).replace(/\W/g, "");

function reasonIn(word: string, onlyKnown: boolean): string {
  const reason = WORD.test(word) ? camelCase(word) : "";
  return onlyKnown && API_CODES[reason.toLowerCase()] === undefined ? "" : reason;
}

const codeOf = (status: number, reason: string): ElementoCode =>
  API_CODES[reason.toLowerCase()] ?? HTTP_CODES[status] ?? (status >= 500 ? "ELEMENTO_FAILED" : "ELEMENTO_REFUSED");

/** One line, without the call's secrets. */
const shorten = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length > 0)
    .reduce((line, secret) => line.replaceAll(secret, "***"), text)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, DETAIL_LENGTH);

/**
 * The error of an answer other than 2xx, 401 and 429. `params.reason` is Elemento's own code in camel case, for
 * conditions; `params.detail` is its message, unless that could contain a secret.
 */
export function readFailure(
  { operation, secret }: Call<unknown>,
  { status, text, request }: { status: number; text: string; request: string },
  secrets: readonly string[],
): LandfallError {
  const body = parsed(text);
  const word = shorten(textIn(body, "code", "error", "error_class"), secrets);
  const reason = reasonIn(word, secret === true);
  const said = fieldErrors(body) || textIn(body, "message", "trace", "detail") || (reason === "" ? word : "");
  const detail = secret === true ? "" : shorten(said, secrets);
  return new LandfallError<ErrorCode>(codeOf(status, reason), {
    operation,
    status,
    request,
    reason: reason || `Http${String(status)}`,
    detail,
  });
}
