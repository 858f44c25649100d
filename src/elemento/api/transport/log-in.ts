import { LandfallError } from "../../../errors.ts";
import type { Call } from "./call.ts";
import type { Account } from "../client-options.ts";
import { SESSION } from "../inferred.ts";
import { compileSchema } from "../../../model/schemas/compile-schema.ts";
import { readAnswer } from "./read-answer.ts";
import type { Sent } from "./send-request.ts";
import { SessionEnded } from "./send-request.ts";
import type { Session } from "./session.ts";

interface LoginAnswer extends Record<string, unknown> {
  authenticated?: boolean;
}

const checkLogin = compileSchema<LoginAnswer>({
  type: "object",
  properties: { authenticated: { type: "boolean" } },
});

const refused = (detail: string): LandfallError =>
  new LandfallError("ELEMENTO_LOGIN", { reason: "LoginRefused", detail });

/** Credentials for every request: the gateway's cookie or a token, if the login returned one. */
function sessionOf({ cookies }: Sent, body: LoginAnswer, password: string): Session {
  const cookie = cookies
    .map((header) => header.split(";")[0] ?? "")
    .find((pair) => pair.startsWith(`${SESSION.cookie}=`));
  const token = SESSION.tokenKeys.map((key) => body[key]).find((value) => typeof value === "string" && value !== "");
  const headers = {
    ...(cookie === undefined ? {} : { cookie }),
    ...(typeof token === "string" ? { authorization: `Bearer ${token}` } : {}),
  };
  const secrets = [password, cookie?.slice(SESSION.cookie.length + 1) ?? "", typeof token === "string" ? token : ""];
  return { headers, secrets };
}

/** Logs in, once. Throws ELEMENTO_LOGIN if the account is refused: by 401, 400, 403, or by the answer's content. */
export async function logIn(account: Account, send: (call: Call<unknown>) => Promise<Sent>): Promise<Session> {
  const { username, password } = account;
  const call: Call<unknown> = {
    service: "authentication",
    operation: "login",
    method: "POST",
    path: "/login",
    body: { username, password },
    repeatable: true,
    secret: true,
    read: () => undefined,
  };
  const sent = await send(call).catch((thrown: unknown) => {
    if (thrown instanceof SessionEnded) throw refused("HTTP 401");
    if (!(thrown instanceof LandfallError)) throw thrown;
    if (thrown.code !== "ELEMENTO_REFUSED" && thrown.code !== "ELEMENTO_FORBIDDEN") throw thrown;
    throw refused(`HTTP ${String(thrown.params["status"])}`);
  });
  const body = readAnswer({ operation: "login", ...sent }, checkLogin);
  if (body.authenticated === false) throw refused("not authenticated");
  return sessionOf(sent, body, password);
}
