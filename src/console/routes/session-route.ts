import { LandfallError } from "../../errors.ts";
import { SESSION, TOKEN } from "../contract/session.ts";
import { SESSION_PATH } from "../server/check-caller.ts";
import type { Sessions } from "../server/sessions.ts";
import type { ConsoleApp } from "./console-app.ts";

/** Exchanges the one-time token of the address for a session. Throws CONSOLE_TOKEN. */
export function addSessionRoute(app: ConsoleApp, sessions: Sessions): void {
  app.post(SESSION_PATH, { schema: { body: TOKEN, response: { 200: SESSION } } }, async ({ body }) => {
    const session = sessions.exchange(body.token);
    if (session === null) throw new LandfallError("CONSOLE_TOKEN");
    return Promise.resolve({ session });
  });
}
