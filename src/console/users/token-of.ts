import type { IncomingHttpHeaders } from "node:http";
import { LandfallError } from "../../errors.ts";
import { isObject } from "../../model/json.ts";

/** RFC 6750, section 2.1: the characters of a token. */
const BEARER = /^Bearer ([\w.~+/-]{1,12000}={0,2})$/i;

/** The token that the proxy in front passes on. Throws CONSOLE_NO_TOKEN. */
export function tokenOf({ authorization = "" }: IncomingHttpHeaders): string {
  const [, token] = BEARER.exec(authorization) ?? [];
  if (token === undefined) throw new LandfallError("CONSOLE_NO_TOKEN");
  return token;
}

/**
 * When a JSON Web Token ends, in seconds since 1970; null for another text, and without an end. The signature is the API server's matter:
 * a false end only shortens how long something is kept.
 */
export function endOf(token: string): number | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return isObject(claims) && typeof claims["exp"] === "number" ? claims["exp"] : null;
  } catch {
    return null;
  }
}
